import { CodeField } from '../../elements/field.tsx';
import { type Challenge, errorsOf } from '../challenge.ts';
import { Step } from '../step.tsx';
import { useWalkOfScreen } from '../walk-context.ts';

/** Asks for the code displayed on another device. */
export function DeviceCodeScreen({ challenge }: { challenge: Challenge }) {
  const { answer } = useWalkOfScreen();
  return (
    <Step
      challenge={challenge}
      title="Enter the code"
      intro="Enter the code that your device shows."
      fields={['code']}
      action="Continue"
      onSubmit={(form) => void answer({ code: form.get('code') })}
    >
      <CodeField label="Code" name="code" autoComplete="off" required errors={errorsOf(challenge, 'code')} />
    </Step>
  );
}

export function DeviceCodeFinishScreen({ challenge }: { challenge: Challenge }) {
  return (
    <Step
      challenge={challenge}
      title="Your device is connected"
      intro="It goes on by itself. You can close this page."
      links={<a href="/">Go to the start page</a>}
    />
  );
}
