import { CodeField } from '../../elements/field.tsx';
import { t } from '../../texts/texts.ts';
import { type Challenge, errorsOf } from '../challenge.ts';
import { Step } from '../step.tsx';
import { useWalkOfScreen } from '../walk-context.ts';

/** Asks for the code displayed on another device. */
export function DeviceCodeScreen({ challenge }: { challenge: Challenge }) {
  const { answer } = useWalkOfScreen();
  return (
    <Step
      challenge={challenge}
      title={t('Enter the code')}
      intro={t('Enter the code that your device shows.')}
      fields={['code']}
      action={t('Continue')}
      onSubmit={(form) => void answer({ code: form.get('code') })}
    >
      <CodeField label={t('Code')} name="code" autoComplete="off" required errors={errorsOf(challenge, 'code')} />
    </Step>
  );
}

export function DeviceCodeFinishScreen({ challenge }: { challenge: Challenge }) {
  return (
    <Step
      challenge={challenge}
      title={t('Your device is connected')}
      intro={t('It continues automatically. You can close this page.')}
      links={<a href="/">{t('Go to the start page')}</a>}
    />
  );
}
