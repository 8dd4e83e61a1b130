import type { Challenge } from '../challenge.ts';
import { CancelLink, Step } from '../step.tsx';
import { useWalkOfScreen } from '../walk-context.ts';

/** A link is on its way; whoever follows it goes on from there. */
export function EmailScreen({ challenge }: { challenge: Challenge }) {
  const { answer } = useWalkOfScreen();
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
