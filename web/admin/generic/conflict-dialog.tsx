import { Button } from '../../elements/button.tsx';
import { Dialog } from '../../elements/dialog.tsx';
import { Loaded, useAnswer } from '../../elements/loading.tsx';
import { t } from '../../texts/texts.ts';
import type { Member } from '../api/document.ts';
import type { Names, Row } from '../api/objects.ts';
import { isSame } from './body.ts';
import { Comparison } from './comparison.tsx';

interface Props {
  readonly members: readonly Member[];
  readonly path: string;
  readonly initial: Row;
  readonly values: Row;
  readonly names: Names;
  onClose(): void;
  onKeepMine(): Promise<void>;
  onTakeTheirs(): Promise<void>;
}

/** A conflict with a concurrent change: both versions side by side. */
export function ConflictDialog({ members, path, initial, values, names, onClose, onKeepMine, onTakeTheirs }: Props) {
  const now = useAnswer<Row>(path);
  return (
    <Dialog title={t('Somebody else has changed this meanwhile')} onClose={onClose} isWide>
      <Loaded {...now}>
        {(theirs) => {
          const differing = members.filter(
            ({ name }) => !isSame(initial[name], values[name]) || !isSame(initial[name], theirs[name]),
          );
          return (
            <>
              <p>
                {t('Nothing of yours has been saved. These are the versions, with what either of you has changed:')}
              </p>
              <Comparison
                members={differing}
                names={names}
                columns={[
                  { title: t('On the server now'), row: theirs },
                  { title: t('Yours'), row: values, isUntouched: (name) => isSame(initial[name], values[name]) },
                ]}
              />
              <p className="quiet small">
                {t(
                  'If you go on, the fields that you have changed stay in the form, on top of the version on the server. Nothing is saved until you save again.',
                )}
              </p>
            </>
          );
        }}
      </Loaded>
      <div className="row">
        <Button onClick={onTakeTheirs}>{t('Discard mine')}</Button>
        <Button look="primary" onClick={onKeepMine}>
          {t('Go on with mine')}
        </Button>
      </div>
    </Dialog>
  );
}
