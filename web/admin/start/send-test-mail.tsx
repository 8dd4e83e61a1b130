import { useState } from 'react';
import { apiFetch, errorMessage } from '../../api/call.ts';
import type { MailTest } from '../../api/types.ts';
import { Button } from '../../elements/button.tsx';
import { Notice } from '../../elements/notice.tsx';
import { t } from '../../texts/texts.ts';

/** Sends a test mail to the caller and shows the result. */
export function SendTestMail() {
  const [isBusy, setBusy] = useState(false);
  const [told, setTold] = useState<{ readonly tone: 'good' | 'bad'; readonly text: string } | null>(null);
  async function send(): Promise<void> {
    setBusy(true);
    try {
      const { to } = await apiFetch<MailTest>('POST', '/admin/mail/test/');
      setTold({ tone: 'good', text: t('A mail was sent to {to}.', { to }) });
    } catch (problem) {
      setTold({ tone: 'bad', text: errorMessage(problem) });
    }
    setBusy(false);
  }
  return (
    <>
      <Button isBusy={isBusy} onClick={send}>
        {t('Send a test mail')}
      </Button>
      {told && <Notice tone={told.tone}>{told.text}</Notice>}
    </>
  );
}
