import { useCallback, useState } from 'react';
import { Button } from '../../elements/button.tsx';
import { Dialog } from '../../elements/dialog.tsx';
import { DialogButtons } from '../../elements/dialog-buttons.tsx';
import { Loaded, useLoadable } from '../../elements/loading.tsx';
import { Notice } from '../../elements/notice.tsx';
import { useToast } from '../../elements/toast.tsx';
import { t } from '../../texts/texts.ts';
import { type BulkResult, refusalWords, tryInBulk } from '../api/bulk.ts';
import type { ResourceEntry } from '../api/interface.ts';
import type { Names } from '../api/objects.ts';
import { counted } from '../labels.ts';
import { BulkProgress, BulkRefusals } from './bulk-outcome.tsx';
import type { BulkProps, Picked } from './picked.ts';
import { locksOut, TypedText } from './typed-text.tsx';
import { useBulkWrite } from './use-bulk-write.ts';
import { namesOfUses, Uses } from './used-by.tsx';

/** Deletes the chosen rows, once it has been seen what goes with them. */
export function BulkDelete(props: BulkProps) {
  const { entry, picked, onClose } = props;
  const tried = useLoadable(useCallback(() => tryDeletions(picked), [picked]));
  return (
    <Dialog title={t('Delete {objects}?', { objects: counted(picked.length, entry) })} onClose={onClose} isWide>
      <Loaded {...tried}>{(trial) => <Decision {...props} {...trial} />}</Loaded>
      {tried.answer.state !== 'ready' && <DialogButtons onLeave={onClose} />}
    </Dialog>
  );
}

interface Trial {
  readonly results: readonly BulkResult[];
  readonly names: Names;
}

/** Two requests, however many rows there are. */
async function tryDeletions(picked: readonly Picked[]): Promise<Trial> {
  const results = await tryInBulk(picked.map(({ path }) => ({ path, delete: true })));
  return { results, names: await namesOfUses(results.flatMap(({ used_by = [] }) => used_by)) };
}

function Decision({ entry, picked, onDone, onClose, results, names }: BulkProps & Trial) {
  const showToast = useToast();
  const deletable = picked.filter((_, at) => (results[at]?.status ?? 0) < 400);
  const { done, problem, isBusy, outcome, write } = useBulkWrite();
  const [typed, setTyped] = useState('');
  const [isMissing, setMissing] = useState(false);
  const isTyped = picked.some(({ row }, at) => locksOut(entry, results[at]?.used_by ?? [], row.is_superuser));
  const text = deletable.length === 1 ? (deletable[0]?.name ?? '') : String(deletable.length);

  async function remove(): Promise<void> {
    setMissing(isTyped && typed.trim() !== text);
    if (isTyped && typed.trim() !== text) return;
    const written = await write(deletable.map(({ path }) => ({ path, delete: true })));
    if (written?.some(({ status }) => status >= 400) !== false) return;
    await onDone();
    showToast(t('{objects} deleted.', { objects: counted(deletable.length, entry) }));
  }

  if (outcome) return <BulkRefusals picked={deletable} results={outcome} onClose={onDone} />;
  return (
    <>
      <ul className="bulk-list scrolled">
        {picked.map(({ path, name }, at) => (
          <li key={path} className="stack-tight">
            <strong>{name}</strong>
            <Consequences entry={entry} result={results[at]} names={names} />
          </li>
        ))}
      </ul>
      <p>{t('This cannot be undone.')}</p>
      {isTyped && deletable.length > 0 && <TypedText text={text} typed={typed} onType={setTyped} />}
      {isMissing && <Notice tone="bad">{t('Type “{text}” first.', { text })}</Notice>}
      {isBusy && <BulkProgress done={done} of={deletable.length} label={t('Deleted so far')} />}
      {problem && <Notice tone="bad">{problem}</Notice>}
      <DialogButtons onLeave={onClose}>
        {deletable.length > 0 && (
          <Button look="danger" isBusy={isBusy} onClick={() => void remove()}>
            {deletable.length === picked.length
              ? t('Delete')
              : t('Delete {objects}', { objects: counted(deletable.length, entry) })}
          </Button>
        )}
      </DialogButtons>
    </>
  );
}

interface ConsequencesProps {
  readonly entry: ResourceEntry;
  readonly result: BulkResult | undefined;
  readonly names: Names;
}

function Consequences({ entry, result, names }: ConsequencesProps) {
  if (!result) return null;
  const refusal = refusalWords(result, () => undefined);
  if (refusal) return <Notice tone="warn">{t('Stays: {reason}', { reason: refusal })}</Notice>;
  const uses = result.used_by ?? [];
  if (uses.length === 0) return <p className="quiet small">{t('Nothing uses it.')}</p>;
  return <Uses entry={entry} uses={uses} names={names} />;
}
