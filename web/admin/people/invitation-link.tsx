import { lazy, Suspense, useState } from 'react';
import { apiFetch } from '../../api/call.ts';
import { Button } from '../../elements/button.tsx';
import { CopyButton } from '../../elements/copy-button.tsx';
import { DialogButtons } from '../../elements/dialog-buttons.tsx';
import { Notice } from '../../elements/notice.tsx';
import { useAttempt } from '../../elements/use-attempt.ts';
import { t } from '../../texts/texts.ts';
import { useEntry } from '../api/interface.ts';

const QrCode = lazy(async () => ({ default: (await import('../../elements/qr-code.tsx')).QrCode }));
export const invitationsPath = '/stages/invitation/invitations/';

export interface MadeInvitation {
  readonly pk: string;
  readonly link: string;
  /** Empty if nobody gave one. */
  readonly email: string;
}

/** A new invitation, to hand over: its link, as a QR code, by a mail of the server or of one's own. */
export function InvitationLink({ invitation, onClose }: { invitation: MadeInvitation; onClose(): void }) {
  const { pk, link, email } = invitation;
  const [isSent, setSent] = useState(false);
  const { isBusy, problem, attempt } = useAttempt();
  const canSend = useEntry(invitationsPath)?.may.change === 'all' && email !== '';
  const send = () =>
    attempt(async () => {
      await apiFetch('POST', `${invitationsPath}${pk}/send_email/`, {});
      setSent(true);
    });
  if (isSent)
    return (
      <div className="stack">
        <Notice tone="good">{t('The invitation is on its way to {email}.', { email })}</Notice>
        <p>{t('The mail has a new link. The one that was shown here does not work any more.')}</p>
        <DialogButtons leave={t('Close')} onLeave={onClose} />
      </div>
    );
  return (
    <div className="stack">
      {problem && <Notice tone="bad">{problem}</Notice>}
      <p>{t('The link creates one account. It is shown only now.')}</p>
      <code className="people-link">{link}</code>
      <Suspense>
        <QrCode text={link} label={t('The link as a QR code')} />
      </Suspense>
      <DialogButtons leave={t('Close')} onLeave={onClose}>
        <CopyButton text={link} />
        {canSend && (
          <Button isBusy={isBusy} onClick={send}>
            {t('Send it by mail')}
          </Button>
        )}
        {!canSend && (
          <a className="button" href={mailAddress(email, link)}>
            {t('Write a mail')}
          </a>
        )}
      </DialogButtons>
    </div>
  );
}

const mailAddress = (email: string, body: string): string =>
  `mailto:${encodeURIComponent(email)}?${new URLSearchParams({ subject: t('Your invitation'), body }).toString().replaceAll('+', '%20')}`;
