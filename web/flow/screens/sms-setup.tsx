import type { AuthenticatorSmsChallenge } from '../../api/types.ts';
import { CodeField, TextField } from '../../elements/field.tsx';
import { t } from '../../texts/texts.ts';
import { errorsOf } from '../challenge.ts';
import { CancelLink, Step } from '../step.tsx';
import { useWalkOfScreen } from '../walk-context.ts';
import { Who } from '../who.tsx';

/** Asks for the number, then for the code that was sent to it. */
export function SmsSetupScreen({ challenge }: { challenge: AuthenticatorSmsChallenge }) {
  const { answer } = useWalkOfScreen();
  const needsNumber = challenge.phone_number_required !== false;
  const member = needsNumber ? 'phone_number' : 'code';
  return (
    <Step
      challenge={challenge}
      title={t('Set up text messages')}
      intro={needsNumber ? t('Where shall codes be sent?') : t('Enter the code that was sent to your phone.')}
      fields={[member]}
      action={needsNumber ? t('Send a code') : t('Continue')}
      onSubmit={(form) => void answer({ [member]: String(form.get(member)).replaceAll(' ', '') })}
      links={!needsNumber && <CancelLink challenge={challenge}>{t('Start again')}</CancelLink>}
    >
      <Who challenge={challenge} />
      {needsNumber ? (
        <TextField
          label={t('Phone number')}
          name="phone_number"
          type="tel"
          autoComplete="tel"
          hint={t('With your country code, such as +49 151 2345678.')}
          required
          errors={errorsOf(challenge, 'phone_number')}
        />
      ) : (
        <CodeField label={t('Code')} name="code" required errors={errorsOf(challenge, 'code')} />
      )}
    </Step>
  );
}
