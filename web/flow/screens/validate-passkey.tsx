import { useState } from 'react';
import { Button } from '../../elements/button.tsx';
import { PasskeyIcon } from '../../elements/icons.tsx';
import { Notice } from '../../elements/notice.tsx';
import { t } from '../../texts/texts.ts';
import { askPasskey } from '../passkeys.ts';
import { Step } from '../step.tsx';
import { useWalkOfScreen } from '../walk-context.ts';
import { Who } from '../who.tsx';
import type { ValidateProps } from './device-classes.ts';
import { OtherWay } from './other-way.tsx';

/** Starts on a button press: browsers refuse WebAuthn requests without user activation. */
export function ValidatePasskey({ challenge, device, onOther }: ValidateProps) {
  const { answer, isBusy } = useWalkOfScreen();
  const [isAsking, setAsking] = useState(false);
  const [trouble, setTrouble] = useState('');

  async function confirm(): Promise<void> {
    setTrouble('');
    setAsking(true);
    const outcome = await askPasskey(device.challenge);
    setAsking(false);
    if ('trouble' in outcome) setTrouble(outcome.trouble);
    else await answer({ webauthn: outcome.response });
  }

  return (
    <Step
      challenge={challenge}
      title={t('Is it you?')}
      intro={t('Confirm with your passkey or security key.')}
      links={onOther && <OtherWay onOther={onOther} />}
    >
      <Who challenge={challenge} />
      {trouble && <Notice tone="bad">{trouble}</Notice>}
      <Button look="primary" isBusy={isBusy || isAsking} onClick={() => void confirm()}>
        {!isAsking && !isBusy && <PasskeyIcon />}
        {isAsking ? t('Waiting for your device') : t(trouble ? 'Try again' : 'Use your passkey')}
      </Button>
    </Step>
  );
}
