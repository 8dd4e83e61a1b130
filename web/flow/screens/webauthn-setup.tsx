import { useState } from 'react';
import type { AuthenticatorWebauthnChallenge } from '../../api/types.ts';
import { Button } from '../../elements/button.tsx';
import { Notice } from '../../elements/notice.tsx';
import { t } from '../../texts/texts.ts';
import { registerPasskey } from '../passkeys.ts';
import { CancelLink, Step } from '../step.tsx';
import { useWalkOfScreen } from '../walk-context.ts';
import { Who } from '../who.tsx';

export function WebauthnSetupScreen({ challenge }: { challenge: AuthenticatorWebauthnChallenge }) {
  const { answer, isBusy } = useWalkOfScreen();
  const [isAsking, setAsking] = useState(false);
  const [trouble, setTrouble] = useState('');

  async function register(): Promise<void> {
    setTrouble('');
    setAsking(true);
    const outcome = await registerPasskey(challenge.registration);
    setAsking(false);
    if ('trouble' in outcome) setTrouble(outcome.trouble);
    else await answer({ response: outcome.response });
  }

  return (
    <Step
      challenge={challenge}
      title={t('Set up a passkey')}
      intro={t('Register this device or a security key. Your browser will ask you to confirm.')}
      links={<CancelLink challenge={challenge}>{t('Not now')}</CancelLink>}
    >
      <Who challenge={challenge} />
      {trouble && <Notice tone="bad">{trouble}</Notice>}
      <Button look="primary" isBusy={isBusy || isAsking} onClick={() => void register()}>
        {isAsking ? t('Waiting for your device') : t(trouble ? 'Try again' : 'Register a passkey')}
      </Button>
    </Step>
  );
}
