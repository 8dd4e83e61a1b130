import { useState } from 'react';
import { apiFetch } from '../../api/call.ts';
import type { Role } from '../../api/types.ts';
import { Button } from '../../elements/button.tsx';
import { RadioGroup } from '../../elements/choice.tsx';
import { Dialog } from '../../elements/dialog.tsx';
import { DialogButtons } from '../../elements/dialog-buttons.tsx';
import { Notice } from '../../elements/notice.tsx';
import { useToast } from '../../elements/toast.tsx';
import { useAttempt } from '../../elements/use-attempt.ts';
import { t } from '../../texts/texts.ts';
import { addToList } from '../api/add-to-list.ts';
import { useDialog } from '../use-dialog.ts';
import { usualRoles } from './usual-roles.ts';

interface Props {
  readonly group: { readonly pk: string; readonly name: string };
  reload(): Promise<void>;
}

const dialog = 'give-role';

export const giveRoleItem = () => ({ name: dialog, title: t('Give a role…') });

/** Gives a group one of the usual roles. A role belongs to one group, so it is a new one. */
export function GiveRoleDialog({ group, reload }: Props) {
  const { isOpen, close } = useDialog(dialog);
  const [title, setTitle] = useState<string>(usualRoles[0]?.title ?? '');
  const { isBusy, problem, attempt } = useAttempt();
  const announce = useToast();
  const give = () =>
    attempt(async () => {
      const usual = usualRoles.find((one) => one.title === title);
      if (!usual) return;
      const role = await apiFetch<Role>('POST', '/rbac/roles/', {
        name: `${t(usual.title)} (${group.name})`,
      });
      try {
        const { permissions } = usual;
        await apiFetch('POST', `/rbac/permissions/assigned_by_roles/${role.pk}/assign/`, { permissions });
        await addToList(`/core/groups/${group.pk}/`, 'roles', role.pk);
      } catch (refusal) {
        await apiFetch('DELETE', `/rbac/roles/${role.pk}/`);
        throw refusal;
      }
      close();
      await reload();
      announce(t('{name} has the role.', { name: group.name }));
    });
  if (!isOpen) return null;
  return (
    <Dialog title={t('Give a role to {name}', { name: group.name })} onClose={close}>
      <RadioGroup
        label={t('Role')}
        name="role"
        defaultValue={title}
        onChange={setTitle}
        choices={usualRoles.map((one) => ({ value: one.title, label: t(one.title) }))}
      />
      <p className="quiet small">{t('Members hold its permissions at once. Its page lists and changes them.')}</p>
      {problem && <Notice tone="bad">{problem}</Notice>}
      <DialogButtons onLeave={close}>
        <Button look="primary" isBusy={isBusy} onClick={() => void give()}>
          {t('Give the role')}
        </Button>
      </DialogButtons>
    </Dialog>
  );
}
