import type { Challenge } from '../challenge.ts';
import { CancelLink, Step } from '../step.tsx';
import { useWalkOfScreen } from '../walk-context.ts';

interface EmailChallenge extends Challenge {
  /** Whether this page was opened by the link; it is used when the person goes on, not before. */
  readonly link_opened?: boolean;
}

/** A link is on its way, or was followed; whoever follows it goes on from there. */
export function EmailScreen({ challenge }: { challenge: EmailChallenge }) {
  const { answer } = useWalkOfScreen();
  if (challenge.link_opened) {
    return (
      <Step
        challenge={challenge}
        title="You have opened your link"
        intro="It works once. Go on when you are ready."
        action="Continue"
        onSubmit={() => void answer({})}
        links={<CancelLink challenge={challenge}>Not now</CancelLink>}
      />
    );
  }
  return (
    <Step
      challenge={challenge}
      title="Check your email"
      intro="We have sent you an email with a link. Open the link to go on; this page can be closed then."
      action="Send it again"
      onSubmit={() => void answer({})}
      links={<CancelLink challenge={challenge}>Start again</CancelLink>}
    >
      <p className="small quiet">Nothing there? It may take a minute, or be among the unwanted mail.</p>
    </Step>
  );
}
