import './form.css';
import { type FormEvent, useState } from 'react';
import { Button } from '../../elements/button.tsx';
import { SelectField } from '../../elements/choice.tsx';
import { Dialog } from '../../elements/dialog.tsx';
import { DialogButtons } from '../../elements/dialog-buttons.tsx';
import { Notice } from '../../elements/notice.tsx';
import { useToast } from '../../elements/toast.tsx';
import { useAttempt } from '../../elements/use-attempt.ts';
import { t } from '../../texts/texts.ts';
import { type BulkResult, refusalOf, tryInBulk } from '../api/bulk.ts';
import type { Member } from '../api/document.ts';
import { type Names, type Row, readNames } from '../api/objects.ts';
import { counted } from '../labels.ts';
import { Widget } from '../widgets/widget.tsx';
import { nothing } from '../widgets/widget-props.ts';
import { type Complaints, complaintsOf } from './body.ts';
import { BulkProgress, BulkRefusals } from './bulk-outcome.tsx';
import { BulkPreview } from './bulk-preview.tsx';
import type { BulkProps } from './picked.ts';
import { useBulkWrite } from './use-bulk-write.ts';
import { useWhyFixed } from './use-why-fixed.ts';

interface Trial {
  readonly results: readonly BulkResult[];
  readonly names: Names;
}

/** Sets some fields of all chosen rows, once it has been seen what would change. */
export function BulkEdit({ entry, description, picked, onDone, onClose }: BulkProps) {
  const [values, setValues] = useState<Row>({});
  const [complaints, setComplaints] = useState<Complaints>({});
  const { isBusy: isTrying, problem, attempt } = useAttempt();
  const [trial, setTrial] = useState<Trial | null>(null);
  const writing = useBulkWrite();
  const showToast = useToast();
  const whyFixed = useWhyFixed(picked[0]?.fixed.filter((name) => picked.every(({ fixed }) => fixed.includes(name))));
  const members = (description.changing ?? []).filter(
    (member) => isCommon(member, description.key) && whyFixed(member) === null,
  );
  const chosen = members.filter(({ name }) => name in values);
  const objects = counted(picked.length, entry);
  const labelOf = (name: string) => members.find((member) => member.name === name)?.note.label;
  const changes = Object.fromEntries(chosen.map(({ name }) => [name, values[name]]));
  const writes = picked.map(({ path }) => ({ path, changes }));

  function preview(event: FormEvent): void {
    event.preventDefault();
    void attempt(async () => {
      const bad = complaintsOf(changes);
      setComplaints(bad ?? {});
      if (chosen.length === 0) throw new Error(t('Choose a field first.'));
      if (bad) return;
      const results = await tryInBulk(writes);
      const common = commonComplaints(results);
      setComplaints(common ?? {});
      const rows = [...picked.map(({ row }) => row), ...results.flatMap(({ status, body }) => rowIn(status, body))];
      if (!common) setTrial({ results, names: await readNames(keysIn(rows, chosen)) });
    });
  }

  async function save(): Promise<void> {
    const written = await writing.write(writes);
    if (written?.some(({ status }) => status >= 400) !== false) return;
    await onDone();
    showToast(t('{objects} changed.', { objects }));
  }

  return (
    <Dialog title={t('Edit {objects}', { objects })} onClose={onClose} isWide>
      {writing.outcome && <BulkRefusals picked={picked} results={writing.outcome} labelOf={labelOf} onClose={onDone} />}
      {!writing.outcome && trial && (
        <>
          <BulkPreview {...{ picked, labelOf }} members={chosen} {...trial} />
          {writing.isBusy && <BulkProgress done={writing.done} of={picked.length} label={t('Changed so far')} />}
          {writing.problem && <Notice tone="bad">{writing.problem}</Notice>}
          <DialogButtons leave={t('Back')} onLeave={() => setTrial(null)}>
            <Button look="primary" isBusy={writing.isBusy} onClick={() => void save()}>
              {t('Change {objects}', { objects })}
            </Button>
          </DialogButtons>
        </>
      )}
      {!writing.outcome && !trial && (
        <form className="stack" noValidate onSubmit={preview}>
          <p className="quiet">{t('Choose fields and set values. All other fields stay as they are.')}</p>
          {chosen.map((member) => (
            <div key={member.name} className="bulk-field">
              <Widget
                member={member}
                value={values[member.name]}
                errors={complaints[member.name] ?? []}
                onChange={(value) => setValues((before) => ({ ...before, [member.name]: value }))}
              />
              <Button look="quiet" onClick={() => setValues(({ [member.name]: _, ...rest }) => rest)}>
                {t('Leave {field} as it is', { field: member.note.label })}
              </Button>
            </div>
          ))}
          <SelectField
            label={t('Field to set')}
            value=""
            choices={[
              { value: '', label: t('Choose…') },
              ...members
                .filter(({ name }) => !(name in values))
                .map(({ name, note }) => ({ value: name, label: note.label })),
            ]}
            onChange={({ currentTarget }) => {
              const member = members.find(({ name }) => name === currentTarget.value);
              if (member) setValues((before) => ({ ...before, [member.name]: emptyOf(member) }));
            }}
          />
          {problem && <Notice tone="bad">{problem}</Notice>}
          <DialogButtons onLeave={onClose}>
            <Button type="submit" look="primary" isBusy={isTrying}>
              {t('Preview')}
            </Button>
          </DialogButtons>
        </form>
      )}
    </Dialog>
  );
}

/** What several objects can have in common: not what identifies one. */
const isCommon = ({ name, note }: Member, key: string): boolean =>
  name !== key && !['name', 'slug', 'username', 'identifier'].includes(name) && note.kind !== 'file';

/** What a field begins with: what its widget shows when nothing was entered. */
function emptyOf(member: Member): unknown {
  const { kind } = member.note;
  const { type } = member.schema;
  if (kind === 'flag') return false;
  return (kind === 'text' || kind === 'expression') && [type].flat().includes('string') ? '' : nothing(member);
}

/** The complaints about values, if every object was refused for one. */
function commonComplaints(results: readonly BulkResult[]): Complaints | null {
  const refusals = results.map(refusalOf);
  const [first] = refusals;
  if (!first || Object.keys(first.fields).length === 0) return null;
  return refusals.every((one) => JSON.stringify(one?.fields) === JSON.stringify(first.fields)) ? first.fields : null;
}

const rowIn = (status: number, body: unknown): Row[] =>
  status < 400 && typeof body === 'object' && body !== null ? [{ ...body }] : [];

const maxNamed = 200;

/** The keys that rows have in members that refer to objects, by model. */
function keysIn(rows: readonly Row[], members: readonly Member[]): string[] {
  return members.flatMap(({ name, note: { kind, model } }) => {
    if (!model || !kind.startsWith('reference')) return [];
    const keys = new Set(rows.flatMap((row) => row[name] ?? []).filter((key) => typeof key !== 'object'));
    const first = [...keys].slice(0, Math.floor(maxNamed / members.length));
    return first.length > 0 ? [`${model}:${first.join(',')}`] : [];
  });
}
