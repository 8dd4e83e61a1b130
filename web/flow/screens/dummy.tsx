import type { Challenge } from '../challenge.ts';
import { Step } from '../step.tsx';
import { useWalkOfScreen } from '../walk-context.ts';

export function DummyScreen({ challenge }: { challenge: Challenge & { readonly name?: string } }) {
  const { answer } = useWalkOfScreen();
  return (
    <Step
      challenge={challenge}
      title="A step without questions"
      intro={challenge.name}
      action="Continue"
      onSubmit={() => void answer({})}
    />
  );
}
