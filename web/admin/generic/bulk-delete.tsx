import { useState } from 'react';
import { callAsPerson, wordsOf } from '../../api/call.ts';
import { useDone } from '../../elements/announcing.tsx';
import { Button } from '../../elements/button.tsx';
import { Dialog } from '../../elements/dialog.tsx';
import { Notice } from '../../elements/notice.tsx';
import { t } from '../../texts/texts.ts';
import type { Description } from '../api/description.ts';
import type { ResourceEntry } from '../api/interface.ts';
import type { Row } from '../api/objects.ts';
import { useDialog } from '../use-dialog.ts';
import { counted } from '../words.ts';

interface Props {
  readonly entry: ResourceEntry;
  readonly description: Description;
  readonly rows: readonly Row[];
  readonly chosen: ReadonlySet<string>;
  onChoose(chosen: ReadonlySet<string>): void;
  onDone(): Promise<void>;
}

/** What can be done with the rows that were chosen. */
export function BulkBar(props: Props) {
  const { open, close, isOpen } = useDialog('delete');
  const { entry, description, rows, chosen, onChoose } = props;
  const picked = rows.filter((row) => chosen.has(String(row[description.key])));
  if (picked.length === 0) return null;
  return (
    <div className="bulk-bar">
      <p role="status">{t('{objects} chosen', { objects: counted(picked.length, entry) })}</p>
      <div className="row">
        <Button look="quiet" onClick={() => onChoose(new Set())}>
          {t('Choose none')}
        </Button>
        <Button onClick={open}>{t('Delete…')}</Button>
      </div>
      {isOpen && <BulkDelete {...props} picked={picked} onClose={close} />}
    </div>
  );
}

interface Progress {
  readonly done: number;
  readonly problems: readonly string[];
}

function BulkDelete({
  entry,
  description,
  picked,
  onChoose,
  onDone,
  onClose,
}: Props & { picked: Row[]; onClose(): void }) {
  const [progress, setProgress] = useState<Progress | null>(null);
  const announce = useDone();
  const nameOf = (row: Row) => String(row[description.title] ?? row[description.key]);
  const isBusy = progress !== null && progress.done < picked.length;

  async function remove(): Promise<void> {
    const problems: string[] = [];
    for (const [at, row] of picked.entries()) {
      setProgress({ done: at, problems });
      const path = `${entry.path}${encodeURIComponent(String(row[description.key]))}/`;
      await callAsPerson('DELETE', path).catch((problem) => problems.push(`${nameOf(row)}: ${wordsOf(problem)}`));
    }
    setProgress({ done: picked.length, problems });
    await onDone();
    if (problems.length > 0) return;
    onClose();
    onChoose(new Set());
    announce(t('{objects} deleted.', { objects: counted(picked.length, entry) }));
  }

  return (
    <Dialog title={t('Delete {objects}?', { objects: counted(picked.length, entry) })} onClose={onClose}>
      <ul className="plain-list scrolled">
        {picked.map((row) => (
          <li key={String(row[description.key])}>{nameOf(row)}</li>
        ))}
      </ul>
      <p>{t('This cannot be undone. What depends on them goes with them.')}</p>
      {isBusy && (
        <progress value={progress.done} max={picked.length} aria-label={t('Deleted so far')}>
          {progress.done}
        </progress>
      )}
      {progress?.problems.map((problem) => (
        <Notice key={problem} tone="bad">
          {problem}
        </Notice>
      ))}
      <div className="row">
        <Button onClick={onClose}>{t(progress && !isBusy ? 'Close' : 'Cancel')}</Button>
        {(!progress || isBusy) && (
          <Button look="danger" isBusy={isBusy} onClick={remove}>
            {t('Delete')}
          </Button>
        )}
      </div>
    </Dialog>
  );
}
