import type { AuthenticatorTwofactorChallenge, TwofactorDeviceEnrollmentStatus } from '../../api/types.ts';
import { t } from '../../texts/texts.ts';
import './setup.css';
import { useEffect, useState } from 'react';
import { callApi, isSignedIn } from '../../api/client.ts';
import { Notice } from '../../elements/notice.tsx';
import { safeAddress } from '../safe-address.ts';
import { CancelLink, Step } from '../step.tsx';
import { useWalkOfScreen } from '../walk-context.ts';
import { Who } from '../who.tsx';

const askEveryMs = 3_000;
/** A page of the service, or a link to its app. */
const appAddress = /^(https|duo):/;

/** Activates the app of a push service; the service reports when it is done. */
export function TwofactorSetupScreen({ challenge }: { challenge: AuthenticatorTwofactorChallenge }) {
  const { answer } = useWalkOfScreen();
  const [isInvalid, setInvalid] = useState(false);
  const { stage_uuid, activation_barcode, activation_code } = challenge;
  const barcode = safeAddress(activation_barcode);

  useEffect(() => {
    // Only signed-in users may poll the status; others press the button.
    if (!isSignedIn()) return;
    const path = `/stages/authenticator/twofactor/${encodeURIComponent(stage_uuid)}/enrollment_status/`;
    const timer = setInterval(async () => {
      const status = await callApi<TwofactorDeviceEnrollmentStatus>('POST', path).catch(() => null);
      if (!status || status.twofactor_response === 'waiting') return;
      clearInterval(timer);
      if (status.twofactor_response === 'success') await answer({});
      else setInvalid(true);
    }, askEveryMs);
    return () => clearInterval(timer);
  }, [stage_uuid, answer]);

  return (
    <Step
      challenge={challenge}
      title={t('Connect your app')}
      intro={t('Scan this code with the app of your push service, and go on when the app shows your account.')}
      action={t('Continue')}
      onSubmit={() => void answer({})}
      links={<CancelLink challenge={challenge}>{t('Start again')}</CancelLink>}
    >
      <Who challenge={challenge} />
      {isInvalid && <Notice tone="bad">{t('This code has expired. Please start again.')}</Notice>}
      {barcode && <img className="setup-barcode" src={barcode} alt={t('QR code for the app of your push service')} />}
      {appAddress.test(activation_code) && <a href={activation_code}>{t('On this device? Open the app.')}</a>}
    </Step>
  );
}
