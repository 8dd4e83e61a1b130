import { useState } from 'react';
import { apiFetch } from '../../api/call.ts';
import { ApiProblem } from '../../api/client.ts';
import { Button } from '../../elements/button.tsx';
import { Dialog } from '../../elements/dialog.tsx';
import { DialogButtons } from '../../elements/dialog-buttons.tsx';
import { Notice } from '../../elements/notice.tsx';
import { useToast } from '../../elements/toast.tsx';
import { useAttempt } from '../../elements/use-attempt.ts';
import { t } from '../../texts/texts.ts';
import type { BulkResult } from '../api/bulk.ts';
import { useHeld } from '../api/interface.ts';
import { BulkProgress, BulkRefusals } from '../generic/bulk-outcome.tsx';
import { PickedNames } from '../generic/bulk-switch.tsx';
import type { BulkProps, BulkVerbsProps } from '../generic/picked.ts';
import { counted } from '../labels.ts';
import { useDialog } from '../use-dialog.ts';
import { ReferencePicker } from '../widgets/reference-picker.tsx';

const [joining, leaving] = ['svc_core.add_user_to_group', 'svc_core.remove_user_from_group'];

/** Adds the chosen people to a group, or removes them from one. */
export function MembershipButtons({ finish, ...props }: BulkVerbsProps) {
  const held = useHeld();
  const [add, remove] = [useDialog('add-to-group'), useDialog('remove-from-group')];
  return (
    <>
      {held(joining) && <Button onClick={add.open}>{t('Add to group…')}</Button>}
      {held(leaving) && <Button onClick={remove.open}>{t('Remove from group…')}</Button>}
      {add.isOpen && <MembershipDialog {...props} joins onDone={finish(add.close)} onClose={add.close} />}
      {remove.isOpen && (
        <MembershipDialog {...props} joins={false} onDone={finish(remove.close)} onClose={remove.close} />
      )}
    </>
  );
}

function MembershipDialog({ entry, picked, joins, onDone, onClose }: BulkProps & { joins: boolean }) {
  const [group, setGroup] = useState<string | null>(null);
  const [done, setDone] = useState(0);
  const [outcome, setOutcome] = useState<readonly BulkResult[] | null>(null);
  const { isBusy, problem, attempt } = useAttempt();
  const announce = useToast();
  const objects = counted(picked.length, entry);
  const path = `/core/groups/${group}/${joins ? 'add_user' : 'remove_user'}/`;
  const save = () =>
    attempt(async () => {
      if (group === null) throw new Error(t('Choose a group first.'));
      const results: BulkResult[] = [];
      for (const { path: person, row } of picked) {
        results.push(await tryOne(person, () => apiFetch('POST', path, { pk: row.pk })));
        setDone(results.length);
      }
      if (results.some(({ status }) => status >= 400)) return setOutcome(results);
      await onDone();
      announce(
        joins ? t('{objects} added to the group.', { objects }) : t('{objects} removed from the group.', { objects }),
      );
    });
  const title = joins ? t('Add {objects} to a group', { objects }) : t('Remove {objects} from a group', { objects });
  return (
    <Dialog title={title} onClose={onClose}>
      {outcome ? (
        <BulkRefusals picked={picked} results={outcome} onClose={onDone} />
      ) : (
        <>
          <ReferencePicker
            label={t('Group')}
            model="svc_core.group"
            takes={joins ? joining : leaving}
            value={group}
            onChange={setGroup}
          />
          <PickedNames picked={picked} />
          {isBusy && <BulkProgress done={done} of={picked.length} label={t('Changed so far')} />}
          {problem && <Notice tone="bad">{problem}</Notice>}
          <DialogButtons onLeave={onClose}>
            <Button look="primary" isBusy={isBusy} onClick={() => void save()}>
              {joins ? t('Add') : t('Remove')}
            </Button>
          </DialogButtons>
        </>
      )}
    </Dialog>
  );
}

/** The result of one request; an error does not stop the others. */
async function tryOne(path: string, send: () => Promise<null>): Promise<BulkResult> {
  try {
    return { path, status: 204, body: await send() };
  } catch (refusal) {
    if (!(refusal instanceof ApiProblem)) throw refusal;
    return { path, status: refusal.status, body: { ...refusal.fields, detail: refusal.message } };
  }
}
