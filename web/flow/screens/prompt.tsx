import { t } from '../../texts/texts.ts';
import type { Challenge } from '../challenge.ts';
import { Step } from '../step.tsx';
import { useWalkOfScreen } from '../walk-context.ts';
import { type Prompt, PromptField } from './prompt-field.tsx';
import { readPrompts } from './read-prompts.ts';

interface PromptChallenge extends Challenge {
  readonly fields: readonly Prompt[];
}

export function PromptScreen({ challenge }: { challenge: PromptChallenge }) {
  const { answer } = useWalkOfScreen();
  const { fields } = challenge;
  return (
    <Step
      challenge={challenge}
      title={t('Please fill this in')}
      isGeneric
      fields={fields.filter(({ type }) => type !== 'hidden').map(({ field_key }) => field_key)}
      action={t('Continue')}
      onSubmit={async (form) => void answer(await readPrompts(fields, form))}
    >
      {fields.map((prompt) => (
        <PromptField key={prompt.field_key} prompt={prompt} challenge={challenge} />
      ))}
    </Step>
  );
}
