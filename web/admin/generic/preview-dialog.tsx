import { useEffect, useRef, useState } from 'react';
import { Dialog } from '../../elements/dialog.tsx';
import { DialogButtons } from '../../elements/dialog-buttons.tsx';
import { Waiting } from '../../elements/loading.tsx';
import { t } from '../../texts/texts.ts';
import type { Member } from '../api/document.ts';
import type { Names, Row } from '../api/objects.ts';
import { isSame } from './body.ts';
import { Comparison } from './comparison.tsx';

interface Props {
  readonly members: readonly Member[];
  readonly initial: Row;
  readonly isNew: boolean;
  readonly names: Names;
  /** Sends a dry run; null on errors, which the form shows. */
  ask(): Promise<Row | null>;
  onClose(): void;
}

/** What saving would change. */
export function PreviewDialog({ members, initial, isNew, names, ask, onClose }: Props) {
  const [after, setAfter] = useState<Row | null>(null);
  const question = useRef({ ask, onClose });
  useEffect(() => {
    const { ask, onClose } = question.current;
    ask().then((row) => (row ? setAfter(row) : onClose()));
  }, []);
  const changed = after
    ? members.filter(({ name }) => name in after && (isNew || !isSame(initial[name], after[name])))
    : [];
  return (
    <Dialog title={t(isNew ? 'What would be made' : 'What would change')} onClose={onClose} isWide>
      {!after && <Waiting />}
      {after && changed.length === 0 && <p>{t('Nothing would change.')}</p>}
      {after && changed.length > 0 && (
        <Comparison
          members={changed}
          names={names}
          columns={
            isNew
              ? [{ title: t('Value'), row: after }]
              : [
                  { title: t('Now'), row: initial },
                  { title: t('Then'), row: after },
                ]
          }
        />
      )}
      <p className="quiet small">{t('Nothing has been saved.')}</p>
      <DialogButtons leave={t('Close')} onLeave={onClose} />
    </Dialog>
  );
}
