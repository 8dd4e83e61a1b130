import { apiFetch } from '../../api/call.ts';
import { ConfirmButton } from '../../elements/confirm-button.tsx';
import { Moment } from '../../elements/moment.tsx';
import { Notice } from '../../elements/notice.tsx';
import { Rich } from '../../texts/rich.tsx';
import { t } from '../../texts/texts.ts';

/** On a server restored from a backup, until an administrator decides that it replaces the original. */
export function HeldBack({ since, onReleased }: { since: string; onReleased(): void }) {
  return (
    <Notice tone="warn">
      <p>
        <Rich
          text="This server was restored from a backup <when></when>. It sends no mails, webhooks, sign-outs and syncs, because it may be a copy."
          values={{ when: () => <Moment at={since} /> }}
        />
      </p>
      <ConfirmButton
        look="plain"
        question={t('Send to other systems again?')}
        consequence={t(
          'Only if the original server is gone. Everything that waits is sent: mails, notifications, and the users and groups of this backup to the systems that providers push to.',
        )}
        confirm={t('Send again')}
        onConfirm={async () => {
          await apiFetch('POST', '/admin/outgoing/release/');
          onReleased();
        }}
      >
        {t('This server replaces the original')}
      </ConfirmButton>
    </Notice>
  );
}
