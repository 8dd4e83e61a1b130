import { useEffect, useRef, useState } from 'react';
import { Dialog } from '../../elements/dialog.tsx';
import { DialogButtons } from '../../elements/dialog-buttons.tsx';
import { Waiting } from '../../elements/loading.tsx';
import { t } from '../../texts/texts.ts';
import type { Member } from '../api/document.ts';
import { type Names, type Row, readNames } from '../api/objects.ts';
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

interface Answer {
  readonly after: Row;
  readonly changed: readonly Member[];
  /** Also of what was chosen newly. */
  readonly names: Names;
}

const keysIn = (members: readonly Member[], row: Row): string[] =>
  members.flatMap(({ name, note: { model } }) => {
    const keys = [row[name]].flat().filter((key) => typeof key === 'number' || (typeof key === 'string' && key !== ''));
    return model && keys.length > 0 ? [`${model}:${keys.join(',')}`] : [];
  });

/** What saving would change. */
export function PreviewDialog({ members, initial, isNew, names, ask, onClose }: Props) {
  const [answer, setAnswer] = useState<Answer | null>(null);
  const changedIn = (after: Row) =>
    members.filter(({ name }) => name in after && (isNew || !isSame(initial[name], after[name])));
  const question = useRef({ ask, onClose, changedIn, names });
  useEffect(() => {
    const { ask, onClose, changedIn, names } = question.current;
    ask().then(async (after) => {
      if (!after) return onClose();
      const changed = changedIn(after);
      // Without them the keys are shown.
      const chosen = await readNames(keysIn(changed, after)).catch((): Names => () => undefined);
      setAnswer({ after, changed, names: (model, key) => names(model, key) ?? chosen(model, key) });
    });
  }, []);
  const { after, changed } = answer ?? { after: null, changed: [] };
  return (
    <Dialog title={t(isNew ? 'What would be created' : 'What would change')} onClose={onClose} isWide>
      {!after && <Waiting />}
      {after && changed.length === 0 && <p>{t('Nothing would change.')}</p>}
      {after && changed.length > 0 && (
        <Comparison
          members={changed}
          names={answer?.names ?? names}
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
