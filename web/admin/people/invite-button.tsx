import { type FormEvent, useState } from 'react';
import { apiFetch } from '../../api/call.ts';
import type { Invitation } from '../../api/types.ts';
import { Button } from '../../elements/button.tsx';
import { SelectField } from '../../elements/choice.tsx';
import { Dialog } from '../../elements/dialog.tsx';
import { DialogButtons } from '../../elements/dialog-buttons.tsx';
import { TextField } from '../../elements/field.tsx';
import { Notice } from '../../elements/notice.tsx';
import { useAttempt } from '../../elements/use-attempt.ts';
import { t } from '../../texts/texts.ts';
import { useEntry } from '../api/interface.ts';
import { slugOf } from '../slug.ts';
import { useDialog } from '../use-dialog.ts';
import { InvitationLink, invitationsPath, type MadeInvitation } from './invitation-link.tsx';

const dayMs = 86_400_000;
/** In days. */
const lifetimes = [1, 7, 30];

/** Invites a person by a link or by mail. */
export function InviteButton() {
  const { isOpen, open, close } = useDialog('invite');
  if (useEntry(invitationsPath)?.may.add !== 'all') return null;
  return (
    <>
      <Button onClick={open}>{t('Invite…')}</Button>
      {isOpen && <InviteDialog onClose={close} />}
    </>
  );
}

function InviteDialog({ onClose }: { onClose(): void }) {
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [days, setDays] = useState('7');
  const [made, setMade] = useState<MadeInvitation | null>(null);
  const { isBusy, problem, attempt } = useAttempt();
  function invite(event: FormEvent): void {
    event.preventDefault();
    void attempt(async () => {
      const fixed_data = { ...(name && { name }), ...(email && { email }) };
      const body = { name: `${slugOf(name || email) || 'invitation'}-${Date.now()}`, single_use: true, fixed_data };
      const { pk, link } = await apiFetch<Invitation>('POST', invitationsPath, {
        ...body,
        expires: new Date(Date.now() + Number(days) * dayMs).toISOString(),
      });
      if (!link)
        throw new Error(
          t('The invitation is created, but no enrollment flow accepts invitations: bind an invitation stage to one.'),
        );
      setMade({ pk, link, email });
    });
  }
  return (
    <Dialog title={t(made ? 'Invitation' : 'Invite a user')} onClose={onClose}>
      {problem && <Notice tone="bad">{problem}</Notice>}
      {made ? (
        <InvitationLink invitation={made} onClose={onClose} />
      ) : (
        <form className="stack" noValidate onSubmit={invite}>
          <p>{t('They choose a username and a password themselves.')}</p>
          <TextField label={t('Name')} value={name} onChange={({ currentTarget }) => setName(currentTarget.value)} />
          <TextField
            label={t('Email')}
            type="email"
            value={email}
            onChange={({ currentTarget }) => setEmail(currentTarget.value)}
          />
          <SelectField
            label={t('Valid for')}
            choices={lifetimes.map((count) => ({
              value: String(count),
              label: t('{count, plural, one {# day} other {# days}}', { count }),
            }))}
            value={days}
            onChange={({ currentTarget }) => setDays(currentTarget.value)}
          />
          <DialogButtons onLeave={onClose}>
            <Button type="submit" look="primary" isBusy={isBusy}>
              {t('Create an invitation')}
            </Button>
          </DialogButtons>
        </form>
      )}
    </Dialog>
  );
}
