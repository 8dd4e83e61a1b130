import { DialogButtons } from '../../elements/dialog-buttons.tsx';
import { Notice } from '../../elements/notice.tsx';
import { t } from '../../texts/texts.ts';
import { type BulkResult, refusalWords } from '../api/bulk.ts';
import type { Picked } from './picked.ts';

/** How far writes are. */
export function BulkProgress({ done, of, label }: { done: number; of: number; label: string }) {
  return (
    <progress value={done} max={of} aria-label={label}>
      {done}
    </progress>
  );
}

interface Props {
  readonly picked: readonly Picked[];
  readonly results: readonly BulkResult[];
  labelOf?(name: string): string | undefined;
  onClose(): Promise<void>;
}

/** What came of each write, where not all of them went well. */
export function BulkRefusals({ picked, results, labelOf = () => undefined, onClose }: Props) {
  const refused = results.filter(({ status }) => status >= 400).length;
  return (
    <>
      <Notice tone="warn">
        {t('{refused, number} of {count, number} were refused. The others are done.', {
          refused,
          count: results.length,
        })}
      </Notice>
      <ul className="bulk-list scrolled">
        {picked.map(({ path, name }, at) => {
          const result = results[at];
          const refusal = result ? refusalWords(result, labelOf) : t('Not tried.');
          return (
            <li key={path} className="bulk-outcome">
              <strong>{name}</strong>
              <span className={refusal ? 'tag tag-warning' : 'tag tag-good'}>{refusal ?? t('Done')}</span>
            </li>
          );
        })}
      </ul>
      <DialogButtons leave={t('Close')} onLeave={() => void onClose()} />
    </>
  );
}
