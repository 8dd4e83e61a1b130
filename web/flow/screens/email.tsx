import { useState } from 'react';
import { Notice } from '../../elements/notice.tsx';
import type { Challenge } from '../challenge.ts';
import { CancelLink, Step } from '../step.tsx';
import { useWalkOfScreen } from '../walk-context.ts';

interface EmailChallenge extends Challenge {
  /** Whether the link in the mail opened this page. */
  readonly link_opened?: boolean;
}

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
      title="Check your email"
      intro="If we know you, an email with a link is on its way. Open the link to go on; this page can be closed then."
      action="Send it again"
      onSubmit={() => void sendAgain()}
      links={<CancelLink challenge={challenge}>Start again</CancelLink>}
    >
      {isSentAgain && !challenge.response_errors && !trouble && <Notice tone="good">It has been sent again.</Notice>}
      <p className="small quiet">Nothing there? It may take a minute, or be among the unwanted mail.</p>
    </Step>
  );
}

/** Mail scanners open links too, but only a person presses the button. */
function LinkOpened({ challenge }: { challenge: EmailChallenge }) {
  const { answer } = useWalkOfScreen();
  return (
    <Step
      challenge={challenge}
      title="Welcome back"
      intro="You have opened the link from our email."
      action="Continue"
      onSubmit={() => void answer({})}
    />
  );
}
