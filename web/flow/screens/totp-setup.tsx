import type { AuthenticatorTotpChallenge } from '../../api/types.ts';
import { t } from '../../texts/texts.ts';
import './setup.css';
import { CopyButton } from '../../elements/copy-button.tsx';
import { CodeField } from '../../elements/field.tsx';
import { QrCode } from '../../elements/qr-code.tsx';
import { errorsOf } from '../challenge.ts';
import { Step } from '../step.tsx';
import { useWalkOfScreen } from '../walk-context.ts';
import { Who } from '../who.tsx';

export function TotpSetupScreen({ challenge }: { challenge: AuthenticatorTotpChallenge }) {
  const { answer } = useWalkOfScreen();
  const url = URL.parse(challenge.config_url);
  const secret = url?.searchParams.get('secret') ?? '';
  const digits = Number(url?.searchParams.get('digits')) || 6;
  return (
    <Step
      challenge={challenge}
      title={t('Set up an authenticator app')}
      intro={t('Scan this code with an authenticator app, then enter the code that the app shows.')}
      fields={['code']}
      startsAtHeading
      action={t('Continue')}
      onSubmit={(form) => void answer({ code: String(form.get('code')).replaceAll(' ', '') })}
    >
      <Who challenge={challenge} />
      <QrCode text={challenge.config_url} label={t('QR code for your authenticator app')} />
      <details className="setup-key">
        <summary>{t('Cannot scan it?')}</summary>
        <p className="small quiet">{t('Enter this key in the app (by time, {digits} digits):', { digits })}</p>
        <p>
          <code>{secret.match(/.{1,4}/g)?.join(' ')}</code>
        </p>
        <div className="row">
          <CopyButton text={secret}>{t('Copy the key')}</CopyButton>
          {url?.protocol === 'otpauth:' && (
            <a className="button" href={challenge.config_url}>
              {t('Open an app on this device')}
            </a>
          )}
        </div>
      </details>
      <CodeField
        label={t('Code from the app')}
        name="code"
        maxLength={digits + 2}
        required
        errors={errorsOf(challenge, 'code')}
      />
    </Step>
  );
}
