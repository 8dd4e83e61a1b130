import { Button } from '../../elements/button.tsx';
import { Dialog } from '../../elements/dialog.tsx';
import { DialogButtons } from '../../elements/dialog-buttons.tsx';
import { Notice } from '../../elements/notice.tsx';
import { useToast } from '../../elements/toast.tsx';
import { t } from '../../texts/texts.ts';
import type { Description } from '../api/description.ts';
import { counted } from '../labels.ts';
import { useDialog } from '../use-dialog.ts';
import { BulkProgress, BulkRefusals } from './bulk-outcome.tsx';
import type { BulkProps, BulkVerbsProps, Picked } from './picked.ts';
import { useBulkWrite } from './use-bulk-write.ts';

/** The member that switches objects of a resource on and off, if there is one. */
export const switchOf = ({ changing }: Description): string | undefined =>
  changing?.find(({ name, note }) => note.kind === 'flag' && (name === 'is_active' || name === 'enabled'))?.name;

interface ButtonsProps extends BulkVerbsProps {
  readonly member: string;
}

/** Switches the chosen rows on or off: whichever would change one of them. */
export function SwitchButtons({ member, finish, ...props }: ButtonsProps) {
  const [on, off] = [useDialog('activate'), useDialog('deactivate')];
  const isAnyOn = props.picked.some(({ row }) => row[member] === true);
  const isAnyOff = props.picked.some(({ row }) => row[member] === false);
  return (
    <>
      {isAnyOff && <Button onClick={on.open}>{t('Activate…')}</Button>}
      {isAnyOn && <Button onClick={off.open}>{t('Deactivate…')}</Button>}
      {on.isOpen && <SwitchDialog {...props} {...{ member }} isOn onDone={finish(on.close)} onClose={on.close} />}
      {off.isOpen && (
        <SwitchDialog {...props} {...{ member }} isOn={false} onDone={finish(off.close)} onClose={off.close} />
      )}
    </>
  );
}

function SwitchDialog({
  entry,
  picked: chosen,
  member,
  isOn,
  onDone,
  onClose,
}: BulkProps & { member: string; isOn: boolean }) {
  const picked = chosen.filter(({ row }) => row[member] !== isOn);
  const objects = counted(picked.length, entry);
  const { done, problem, isBusy, outcome, write } = useBulkWrite();
  const announce = useToast();
  async function save(): Promise<void> {
    const written = await write(picked.map(({ path }) => ({ path, changes: { [member]: isOn } })));
    if (written?.some(({ status }) => status >= 400) !== false) return;
    await onDone();
    announce(isOn ? t('{objects} activated.', { objects }) : t('{objects} deactivated.', { objects }));
  }
  return (
    <Dialog
      title={isOn ? t('Activate {objects}?', { objects }) : t('Deactivate {objects}?', { objects })}
      onClose={onClose}
    >
      {outcome ? (
        <BulkRefusals picked={picked} results={outcome} onClose={onDone} />
      ) : (
        <>
          {!isOn && entry.path === '/core/users/' && (
            <p>{t('They cannot sign in, and their sessions and tokens stop working.')}</p>
          )}
          <PickedNames picked={picked} />
          {isBusy && <BulkProgress done={done} of={picked.length} label={t('Changed so far')} />}
          {problem && <Notice tone="bad">{problem}</Notice>}
          <DialogButtons onLeave={onClose}>
            <Button look={isOn ? 'primary' : 'danger'} isBusy={isBusy} onClick={() => void save()}>
              {isOn ? t('Activate') : t('Deactivate')}
            </Button>
          </DialogButtons>
        </>
      )}
    </Dialog>
  );
}

/** The names of the selected objects. */
export const PickedNames = ({ picked }: { picked: readonly Picked[] }) => (
  <ul className="plain-list scrolled">
    {picked.map(({ path, name }) => (
      <li key={path}>
        <bdi>{name}</bdi>
      </li>
    ))}
  </ul>
);
