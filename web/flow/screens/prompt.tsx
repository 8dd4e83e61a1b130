import type { PromptChallenge } from '../../api/types.ts';
import { t } from '../../texts/texts.ts';
import { noteNewPassword } from '../new-password-note.ts';
import { Step } from '../step.tsx';
import { useWalkOfScreen } from '../walk-context.ts';
import { PromptField } from './prompt-field.tsx';
import { readPrompts } from './read-prompts.ts';

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
      onSubmit={async (form) => {
        if (fields.some(({ type }) => type === 'password')) noteNewPassword();
        void answer(await readPrompts(fields, form));
      }}
    >
      {fields.map((prompt) => (
        <PromptField key={prompt.field_key} prompt={prompt} challenge={challenge} />
      ))}
    </Step>
  );
}
