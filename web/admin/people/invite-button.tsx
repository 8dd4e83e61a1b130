import { type FormEvent, lazy, Suspense, useState } from 'react';
import { callAsPerson, wordsOf } from '../../api/call.ts';
import { Button } from '../../elements/button.tsx';
import { CopyButton } from '../../elements/copy-button.tsx';
import { Dialog } from '../../elements/dialog.tsx';
import { TextField } from '../../elements/field.tsx';
import { Notice } from '../../elements/notice.tsx';
import { t } from '../../texts/texts.ts';
import { useEntry } from '../api/interface.ts';
import { slugOf } from '../applications/template.ts';
import { useDialog } from '../use-dialog.ts';

const QrCode = lazy(async () => ({ default: (await import('../../elements/qr-code.tsx')).QrCode }));
const path = '/stages/invitation/invitations/';

/** Invites somebody by a link. */
export function InviteButton() {
  const { isOpen, open, close } = useDialog('invite');
  if (useEntry(path)?.may.add !== 'all') return null;
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
  const [link, setLink] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  async function invite(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setProblem(null);
    try {
      const fixed_data = { ...(name && { name }), ...(email && { email }) };
      const body = { name: `${slugOf(name || email) || 'invitation'}-${Date.now()}`, single_use: true, fixed_data };
      const made = await callAsPerson<{ link: string | null }>('POST', path, { ...body, expires: null });
      setLink(made.link);
      if (made.link === null)
        setProblem(
          t('The invitation is made, but no enrolment flow takes invitations: bind an invitation stage to one.'),
        );
    } catch (caught) {
      setProblem(wordsOf(caught));
    }
    setBusy(false);
  }
  const mail = `mailto:${encodeURIComponent(email)}?${new URLSearchParams({ subject: t('Your invitation'), body: link ?? '' }).toString().replaceAll('+', '%20')}`;
  return (
    <Dialog title={t(link ? 'Invitation' : 'Invite somebody')} onClose={onClose}>
      {problem && <Notice tone="bad">{problem}</Notice>}
      {link ? (
        <div className="stack">
          <p>{t('The link makes one account. It is shown only now.')}</p>
          <code className="people-link">{link}</code>
          <Suspense>
            <QrCode text={link} label={t('The link as a QR code')} />
          </Suspense>
          <div className="row">
            <CopyButton text={link} />
            <a className="button" href={mail}>
              {t('Write a mail')}
            </a>
            <Button onClick={onClose}>{t('Close')}</Button>
          </div>
        </div>
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
          <div className="row">
            <Button type="submit" look="primary" isBusy={isBusy}>
              {t('Make an invitation')}
            </Button>
            <Button onClick={onClose}>{t('Cancel')}</Button>
          </div>
        </form>
      )}
    </Dialog>
  );
}
