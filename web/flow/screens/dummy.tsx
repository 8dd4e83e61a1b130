import { t } from '../../texts/texts.ts';
import type { Challenge } from '../challenge.ts';
import { Step } from '../step.tsx';
import { useWalkOfScreen } from '../walk-context.ts';

export function DummyScreen({ challenge }: { challenge: Challenge & { readonly name?: string } }) {
  const { answer } = useWalkOfScreen();
  return (
    <Step
      challenge={challenge}
      title={t('A step without questions')}
      intro={challenge.name}
      action={t('Continue')}
      onSubmit={() => void answer({})}
    />
  );
}
