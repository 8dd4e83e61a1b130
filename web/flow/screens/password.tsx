import type { PasswordChallenge } from '../../api/types.ts';
import { t } from '../../texts/texts.ts';
import { withNext } from '../safe-address.ts';
import { Step } from '../step.tsx';
import { useWalkOfScreen } from '../walk-context.ts';
import { Who } from '../who.tsx';
import { CurrentPassword } from './current-password.tsx';

export function PasswordScreen({ challenge }: { challenge: PasswordChallenge }) {
  const { answer } = useWalkOfScreen();
  const recovery = withNext(challenge.recovery_url);
  return (
    <Step
      challenge={challenge}
      title={t('Enter your password')}
      fields={['password']}
      action={t('Continue')}
      onSubmit={(form) => void answer({ password: form.get('password') })}
      links={recovery && <a href={recovery}>{t('Forgot your password?')}</a>}
    >
      <Who challenge={challenge} />
      <CurrentPassword challenge={challenge} />
    </Step>
  );
}
