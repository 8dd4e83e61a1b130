import { Button } from '../../elements/button.tsx';
import { Dialog } from '../../elements/dialog.tsx';
import { t } from '../../texts/texts.ts';
import type { Member } from '../api/document.ts';
import type { Names, Row } from '../api/objects.ts';
import { changedMembers } from './body.ts';
import { Comparison } from './comparison.tsx';

interface Props {
  readonly members: readonly Member[];
  /** What both began with. */
  readonly before: Row;
  readonly theirs: Row;
  readonly mine: Row;
  readonly names: Names;
  onClose(): void;
  onKeepMine(): void;
  onTakeTheirs(): void;
}

/** A conflict with a concurrent change: both versions side by side. */
export function ConflictDialog({ members, before, theirs, mine, names, ...props }: Props) {
  const { onClose, onKeepMine, onTakeTheirs } = props;
  const changed = (row: Row) => new Set(changedMembers(members, row, before));
  const [ours, others] = [changed(mine), changed(theirs)];
  const differing = members.filter((member) => ours.has(member) || others.has(member));
  return (
    <Dialog title={t('Someone else has changed this in the meantime')} onClose={onClose} isWide>
      <p>{t('Nothing of yours has been saved. These are the versions, with what either of you has changed:')}</p>
      <Comparison
        members={differing}
        names={names}
        columns={[
          { title: t('On the server now'), row: theirs },
          { title: t('Yours'), row: mine, isUntouched: (member) => !ours.has(member) },
        ]}
      />
      <p className="quiet small">
        {t(
          'If you keep yours, the fields that you have changed stay in the form, on top of the version on the server. Nothing is saved until you save again.',
        )}
      </p>
      <div className="row">
        <Button onClick={onTakeTheirs}>{t('Discard mine')}</Button>
        <Button look="primary" onClick={onKeepMine}>
          {t('Keep my changes')}
        </Button>
      </div>
    </Dialog>
  );
}
