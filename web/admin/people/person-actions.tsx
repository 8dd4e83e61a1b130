import { useState } from 'react';
import { apiFetch } from '../../api/call.ts';
import { ApiProblem } from '../../api/client.ts';
import type { Link, PaginatedEmailStageList, User } from '../../api/types.ts';
import { CopyButton } from '../../elements/copy-button.tsx';
import { PasswordField, TextField } from '../../elements/field.tsx';
import { useToast } from '../../elements/toast.tsx';
import { t } from '../../texts/texts.ts';
import { useEntry, useInterface } from '../api/interface.ts';
import type { NamedObject } from '../api/objects.ts';
import { deleteItem } from '../generic/delete-dialog.tsx';
import { ActionDialog, closeDialog } from '../parts/action-dialog.tsx';
import { ActionMenu } from '../parts/menu.tsx';
import { FirstSignIn } from './first-sign-in.tsx';

interface Props {
  readonly person: User;
  readonly may: NamedObject['may'];
  readonly canSwitch: boolean;
  reload(): Promise<void>;
}

/** What can be done for or about a person, as far as the caller may. */
export function PersonActions({ person, may, canSwitch, reload }: Props) {
  const { user, acting } = useInterface();
  const canMail = useEntry('/stages/email/') !== undefined && person.email !== '' && person.is_active;
  const isOther = person.pk !== user.pk;
  const canReset = may.includes('svc_core.reset_user_password');
  const offered = [
    // An impersonated session cannot set passwords.
    ...(canReset && acting === null
      ? [
          { name: 'password', title: t('Set password…') },
          { name: 'recovery', title: t('Recovery link…') },
          ...(canMail ? [{ name: 'recovery-mail', title: t('Send a recovery link by mail…') }] : []),
        ]
      : []),
    ...(may.includes('svc_core.reset_user_second_factors') && acting === null
      ? [{ name: 'second-factors', title: t('Reset second factors…') }]
      : []),
    ...(canReset ? [{ name: 'sign-out', title: t('Sign out everywhere…') }] : []),
    ...(may.includes('svc_core.impersonate') && isOther && person.is_active
      ? [{ name: 'act-as', title: t('Act as…') }]
      : []),
    ...(canSwitch && isOther ? [{ name: 'switch', title: t(person.is_active ? 'Deactivate…' : 'Activate…') }] : []),
    ...(may.includes('delete') ? [deleteItem()] : []),
  ];
  const ways = [
    ...(canMail ? [{ name: 'recovery-mail', title: t('Send a link by mail…') }] : []),
    { name: 'recovery', title: t('Create a link…') },
    { name: 'password', title: t('Set password…') },
  ];
  const isOffered = (name: string) => offered.some((one) => one.name === name);
  if (offered.length === 0) return null;
  return (
    <>
      <ActionMenu items={offered} />
      {isOffered('password') && isNew(person) && <FirstSignIn username={person.username} ways={ways} />}
      {isOffered('password') && <PasswordDialog person={person} />}
      {isOffered('recovery') && <RecoveryDialog person={person} />}
      {isOffered('recovery-mail') && <RecoveryMailDialog person={person} />}
      {isOffered('second-factors') && <SecondFactorsDialog person={person} />}
      {isOffered('sign-out') && <SignOutDialog person={person} />}
      {isOffered('switch') && <SwitchDialog person={person} reload={reload} />}
      {isOffered('act-as') && <ActAsDialog person={person} />}
    </>
  );
}

const isNew = ({ is_active, last_login, type }: User): boolean =>
  is_active && last_login === null && !type.includes('service_account');

function PasswordDialog({ person }: { person: User }) {
  const [password, setPassword] = useState('');
  const done = useToast();
  return (
    <ActionDialog
      name="password"
      title={t('Set the password of {name}', { name: person.username })}
      confirm={t('Set password')}
      act={async () => {
        await apiFetch('POST', `/core/users/${person.pk}/set_password/`, { password });
        setPassword('');
        closeDialog();
        done(t('The password is set.'));
      }}
    >
      <p>{t('They are signed out everywhere. A recovery link lets them choose a password themselves.')}</p>
      <PasswordField
        label={t('New password')}
        autoComplete="new-password"
        value={password}
        onChange={({ currentTarget }) => setPassword(currentTarget.value)}
      />
    </ActionDialog>
  );
}

/** Says what to do where recovery is off, as it is on a new server. */
async function recovering<T>(path: string, { is_superuser }: { is_superuser: boolean }): Promise<T> {
  try {
    return await apiFetch<T>('POST', path, {});
  } catch (caught) {
    if (!(caught instanceof ApiProblem && caught.code === 'no_recovery_flow')) throw caught;
    // Only superusers change how people sign in.
    const advice = is_superuser
      ? t('Recovery is off. Turn on “Password recovery” in the list of flows, or choose a flow for it in the brand.')
      : t('Recovery is off. Set a password instead, or ask an administrator to turn recovery on.');
    throw new Error(advice);
  }
}

function RecoveryDialog({ person }: { person: User }) {
  const [link, setLink] = useState<string | null>(null);
  const { user } = useInterface();
  return (
    <ActionDialog
      name="recovery"
      title={t('Recovery link for {name}', { name: person.username })}
      confirm={t(link ? 'Create another' : 'Create a link')}
      leave={t(link ? 'Close' : 'Cancel')}
      act={async () => {
        const made = await recovering<Link>(`/core/users/${person.pk}/recovery/`, user);
        setLink(made.link);
      }}
    >
      <p>{t('Anyone who opens the link can set a new password. Give it to {name} only.', { name: person.username })}</p>
      {link && (
        <div className="stack-tight">
          <code className="people-link">{link}</code>
          <div className="row">
            <CopyButton text={link} />
          </div>
        </div>
      )}
    </ActionDialog>
  );
}

/** Through the first e-mail stage whose template is about passwords, else any. */
async function mailRecovery({ pk }: User, user: { is_superuser: boolean }): Promise<void> {
  const { results } = await apiFetch<PaginatedEmailStageList>('GET', '/stages/email/?page_size=100&ordering=name');
  const stage = results.find(({ template }) => template.includes('password')) ?? results[0];
  if (!stage) throw new Error(t('There is no email stage. Create one first.'));
  await recovering(`/core/users/${pk}/recovery_email/?email_stage=${stage.pk}`, user);
}

function RecoveryMailDialog({ person }: { person: User }) {
  const done = useToast();
  const { user } = useInterface();
  const { username: name, email } = person;
  return (
    <ActionDialog
      name="recovery-mail"
      title={t('Send {name} a recovery link?', { name })}
      confirm={t('Send')}
      act={async () => {
        await mailRecovery(person, user);
        closeDialog();
        done(t('A link is on its way to {email}.', { email }));
      }}
    >
      <p>{t('A mail to {email} brings a link by which they choose a new password.', { email })}</p>
    </ActionDialog>
  );
}

function SecondFactorsDialog({ person }: { person: User }) {
  const done = useToast();
  const name = person.username;
  return (
    <ActionDialog
      name="second-factors"
      title={t('Reset the second factors of {name}?', { name })}
      confirm={t('Reset second factors')}
      act={async () => {
        await apiFetch('POST', `/core/users/${person.pk}/reset_second_factors/`, {});
        closeDialog();
        done(t('{name} has no second factor any more.', { name }));
      }}
    >
      <p>{t('For users who lost their phone: passkeys, authenticator apps and recovery codes are removed.')}</p>
      <p>{t('Verify their identity first. Until they add a new factor, the password alone is enough to sign in.')}</p>
    </ActionDialog>
  );
}

function SignOutDialog({ person }: { person: User }) {
  const done = useToast();
  return (
    <ActionDialog
      name="sign-out"
      title={t('Sign {name} out everywhere?', { name: person.username })}
      confirm={t('Sign out')}
      act={async () => {
        await apiFetch('POST', `/core/users/${person.pk}/sign_out_everywhere/`, {});
        closeDialog();
        done(t('{name} is signed out everywhere.', { name: person.username }));
      }}
    >
      <p>{t('Every browser has to sign in again. API tokens stay valid.')}</p>
    </ActionDialog>
  );
}

/** For people who leave, and for those who come back. */
function SwitchDialog({ person: { pk, username: name, is_active }, reload }: Pick<Props, 'person' | 'reload'>) {
  const done = useToast();
  return (
    <ActionDialog
      name="switch"
      title={is_active ? t('Deactivate {name}?', { name }) : t('Activate {name}?', { name })}
      confirm={t(is_active ? 'Deactivate' : 'Activate')}
      act={async () => {
        await apiFetch('PATCH', `/core/users/${pk}/`, { is_active: !is_active });
        await reload();
        closeDialog();
        done(is_active ? t('{name} is deactivated.', { name }) : t('{name} is active again.', { name }));
      }}
    >
      <p>
        {t(
          is_active
            ? 'They are signed out everywhere and can no longer sign in; their tokens stop working at once. Everything else stays as it is, so that you can undo it.'
            : 'They can sign in again. Their groups, second factors and tokens are as they were.',
        )}
      </p>
    </ActionDialog>
  );
}

function ActAsDialog({ person }: { person: User }) {
  const [reason, setReason] = useState('');
  return (
    <ActionDialog
      name="act-as"
      title={t('Act as {name}', { name: person.username })}
      confirm={t('Act as them')}
      act={async () => {
        await apiFetch('POST', `/core/users/${person.pk}/impersonate/`, { reason });
        location.assign('/if/user/');
      }}
    >
      <p>{t('You see what they see, with their permissions. Events record both of you.')}</p>
      <TextField
        label={t('Reason')}
        hint={t('Kept in the log.')}
        value={reason}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
      />
    </ActionDialog>
  );
}
