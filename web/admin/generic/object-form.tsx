import { known, t } from '../../texts/texts.ts';
import './form.css';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { apiRequest, errorMessage } from '../../api/call.ts';
import { ApiProblem, type Method } from '../../api/client.ts';
import { Button } from '../../elements/button.tsx';
import { Notice } from '../../elements/notice.tsx';
import type { Member } from '../api/document.ts';
import type { WholeObject } from '../api/object.ts';
import type { Names, Row } from '../api/objects.ts';
import type { ResourcePage } from '../resource-page.ts';
import { slugOf } from '../slug.ts';
import { useDialog } from '../use-dialog.ts';
import { NamesContext } from '../widgets/names-context.ts';
import { Widget } from '../widgets/widget.tsx';
import { bodyOf, type Complaints, changedMembers, complaintsOf, initialValues } from './body.ts';
import { ConflictDialog } from './conflict-dialog.tsx';
import { CurlDialog } from './curl-dialog.tsx';
import { FixedField } from './fixed-field.tsx';
import { FormGroup } from './form-group.tsx';
import { grouped } from './groups.ts';
import { PreviewDialog } from './preview-dialog.tsx';
import { Restored } from './restored.tsx';
import { useDraft } from './use-draft.ts';
import { useWhyFixed } from './use-why-fixed.ts';
import { WithSidePanel } from './with-side-panel.tsx';

interface Props {
  readonly members: readonly Member[];
  /** The values that it begins with. */
  readonly initial: Row;
  /** How it is sent, and where. */
  readonly method: Method & ('POST' | 'PATCH');
  readonly path: string;
  /** For changes: the ETag and the names of references. */
  readonly etag?: string;
  readonly names?: Names;
  /** Members that the caller may not change for lack of permissions. */
  readonly fixed?: WholeObject['fixed'];
  /** Why a member cannot be changed here for another reason; null if it can. */
  readonly whyLocked?: (member: Member) => string | null;
  /** The name of the object for the middle of a sentence. */
  readonly what: string;
  readonly submit: string;
  readonly SidePanel?: ResourcePage['SidePanel'];
  onSaved(row: Row): void;
  onCancel?(): void;
  /** Reloads the object after another user has changed it. */
  onConflict?(): Promise<void>;
}

const noNames: Names = () => undefined;

/** Whether a complaint about the whole repeats one about a member, whose name it begins with then. */
const isToldAtMember = (text: string, complaints: Complaints): boolean =>
  Object.keys(complaints).some((name) => text.startsWith(`${name} `));

/** A form generated from the OpenAPI document. */
export function ObjectForm(props: Props) {
  const { initial, method, path, etag, names = noNames, what, submit, SidePanel } = props;
  const isNew = method === 'POST';
  const whyForbidden = useWhyFixed(props.fixed);
  const whyFixed = (member: Member) => props.whyLocked?.(member) ?? whyForbidden(member);
  const members = props.members.filter((member) => whyFixed(member) === null);
  const { onSaved, onCancel, onConflict } = props;
  const draft = useDraft({ form: `${method} ${path}`, what, members, initial, isNew });
  const [complaints, setComplaints] = useState<Complaints>({});
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  // Closing the comparison decides nothing: saving asks again.
  const [isAsking, setAsking] = useState(true);
  const place = useRef<HTMLFormElement>(null);
  const preview = useDialog('preview');
  const curl = useDialog('curl');
  const body = bodyOf(members, draft.values, draft.base, isNew);

  useEffect(() => {
    if (Object.keys(complaints).length > 0)
      place.current
        ?.querySelector<HTMLElement>(
          '[aria-invalid="true"], .code-editor[data-invalid], .records[data-invalid] :is(input, [data-add])',
        )
        ?.focus();
  }, [complaints]);

  async function send(ask: () => Promise<Row | null>): Promise<Row | null> {
    const bad = complaintsOf(body);
    setProblem(null);
    if (bad) {
      setComplaints(bad);
      return null;
    }
    try {
      const row = await ask();
      setComplaints({});
      return row;
    } catch (caught) {
      if (caught instanceof ApiProblem && Object.keys(caught.fields).length > 0) setComplaints(caught.fields);
      else setProblem(errorMessage(caught));
      return null;
    }
  }

  const write = async (version = '', query = ''): Promise<Row> =>
    (await apiRequest<Row>(method, `${path}${query}`, { body, headers: version ? { 'if-match': version } : {} })).value;

  /**
   * Writes on top of the version that the form is about. A later one in which nothing of the form differs will do too.
   */
  async function writeUnlessChanged(): Promise<Row | null> {
    try {
      return await write(etag);
    } catch (caught) {
      if (!(caught instanceof ApiProblem && caught.status === 412)) throw caught;
    }
    const now = await apiRequest<Row>('GET', path);
    if (changedMembers(members, now.value, draft.base).length === 0) return write(now.etag);
    draft.meet(initialValues(props.members, now.value));
    setAsking(true);
    return null;
  }

  async function save(event?: FormEvent): Promise<void> {
    event?.preventDefault();
    if (isBusy) return;
    if (draft.theirs) return setAsking(true);
    setBusy(true);
    const sent = draft.values;
    const saved = await send(writeUnlessChanged);
    setBusy(false);
    if (!saved) return;
    draft.finish(initialValues(props.members, saved), sent);
    onSaved(saved);
  }

  /** The slug of a new object follows its name until it is given one of its own. */
  function set(name: string, value: unknown): void {
    const { name: before, slug } = draft.values;
    const follows = isNew && name === 'name' && members.some((one) => one.name === 'slug');
    if (follows && (!slug || slug === slugOf(String(before ?? '')))) draft.set('slug', slugOf(String(value ?? '')));
    draft.set(name, value);
  }

  const groups = grouped(props.members);
  const own = new Set(members.map(({ name }) => name));
  const others = Object.entries(complaints)
    .filter(([name]) => !own.has(name))
    .map(([name, texts]) => [name, texts.filter((text) => !isToldAtMember(text, complaints))] as const)
    .filter(([, texts]) => texts.length > 0);
  return (
    <NamesContext value={names}>
      <WithSidePanel SidePanel={SidePanel} values={draft.values}>
        <form ref={place} className="object-form" noValidate onSubmit={save}>
          {draft.isRestored && <Restored onDiscard={draft.discard} />}
          {groups.map(([group, inner]) => (
            <FormGroup
              key={group}
              title={group}
              isFolded={groups.length > 1 && group === known('Advanced')}
              isOpen={inner.some(({ name }) => complaints[name])}
            >
              {inner.map((member) => {
                const why = whyFixed(member);
                if (why !== null)
                  return <FixedField key={member.name} {...{ member, names, why }} value={initial[member.name]} />;
                return (
                  <Widget
                    key={member.name}
                    member={member}
                    value={draft.values[member.name]}
                    errors={complaints[member.name] ?? []}
                    onChange={(value) => set(member.name, value)}
                  />
                );
              })}
            </FormGroup>
          ))}
          {Object.keys(complaints).length > 0 && (
            <p className="visually-hidden" role="alert">
              {t('Some fields need to be corrected.')}
            </p>
          )}
          <div className="form-foot">
            {others.map(([name, texts]) => (
              <Notice key={name} tone="bad">
                {name === 'non_field_errors' ? texts.join(' ') : `${name}: ${texts.join(' ')}`}
              </Notice>
            ))}
            {problem && <Notice tone="bad">{problem}</Notice>}
            <Button type="submit" look="primary" isBusy={isBusy}>
              {submit}
            </Button>
            {onCancel && <Button onClick={onCancel}>{t('Cancel')}</Button>}
            {!isNew && Object.keys(body).length > 0 && <span className="tag tag-warning">{t('Unsaved changes')}</span>}
            <span className="form-foot-gap" />
            <Button look="quiet" onClick={preview.open}>
              {t('Preview')}
            </Button>
            <Button look="quiet" onClick={curl.open}>
              {t('As curl')}
            </Button>
          </div>
        </form>
      </WithSidePanel>
      {preview.isOpen && (
        <PreviewDialog
          initial={draft.base}
          isNew={isNew}
          members={members}
          names={names}
          ask={() => send(() => write('', '?dry_run=true'))}
          onClose={preview.close}
        />
      )}
      {curl.isOpen && <CurlDialog method={method} path={path} body={body} members={members} onClose={curl.close} />}
      {draft.theirs && isAsking && (
        <ConflictDialog
          members={members}
          before={draft.base}
          theirs={draft.theirs}
          mine={draft.values}
          names={names}
          onClose={() => setAsking(false)}
          onKeepMine={() => {
            draft.keepMine();
            void onConflict?.();
          }}
          onTakeTheirs={() => {
            draft.takeTheirs();
            setComplaints({});
            void onConflict?.();
          }}
        />
      )}
    </NamesContext>
  );
}
