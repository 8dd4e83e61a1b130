import { useState } from 'react';
import type { EmailChallenge } from '../../api/types.ts';
import { Notice } from '../../elements/notice.tsx';
import { t } from '../../texts/texts.ts';
import { CancelLink, Step } from '../step.tsx';
import { useWalkOfScreen } from '../walk-context.ts';

export function EmailScreen({ challenge }: { challenge: EmailChallenge }) {
  return challenge.link_opened ? <LinkOpened challenge={challenge} /> : <LinkSent challenge={challenge} />;
}

/** A link was sent; the flow continues where it is opened. */
function LinkSent({ challenge }: { challenge: EmailChallenge }) {
  const { answer, trouble } = useWalkOfScreen();
  const [isSentAgain, setSentAgain] = useState(false);

  async function sendAgain(): Promise<void> {
    setSentAgain(false);
    await answer({}, { isPart: true });
    setSentAgain(true);
  }

  return (
    <Step
      challenge={challenge}
      title={t('Check your email')}
      intro={t(
        'If your entry is correct, an email with a link is on its way. Open the link to continue; you can then close this page.',
      )}
      action={t('Send it again')}
      onSubmit={() => void sendAgain()}
      links={<CancelLink challenge={challenge}>{t('Start again')}</CancelLink>}
    >
      {isSentAgain && !challenge.response_errors && !trouble && (
        <Notice tone="good">{t('It has been sent again.')}</Notice>
      )}
      <p className="small quiet">{t('No email? It may take a minute, or be in your spam folder.')}</p>
    </Step>
  );
}

/** Mail scanners open links too, but only a person presses the button. */
function LinkOpened({ challenge }: { challenge: EmailChallenge }) {
  const { answer } = useWalkOfScreen();
  return (
    <Step
      challenge={challenge}
      title={t('One more step')}
      intro={t('You have opened the link from our email.')}
      action={t('Continue')}
      onSubmit={() => void answer({})}
    />
  );
}
