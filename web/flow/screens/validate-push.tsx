import { t } from '../../texts/texts.ts';
import { Step } from '../step.tsx';
import { useWalkOfScreen } from '../walk-context.ts';
import { Who } from '../who.tsx';
import type { ValidateProps } from './device-classes.ts';
import { OtherWay } from './other-way.tsx';

export function ValidatePush({ challenge, device, onOther }: ValidateProps) {
  const { answer, isBusy } = useWalkOfScreen();
  return (
    <Step
      challenge={challenge}
      title={t('Is it you?')}
      intro={isBusy ? t('Confirm the message on your phone.') : t('We send a message to the app on your phone.')}
      action={isBusy ? t('Waiting for your phone') : t('Send the message')}
      onSubmit={() => void answer({ twofactor: Number(device.device_uid) })}
      links={onOther && <OtherWay onOther={onOther} />}
    >
      <Who challenge={challenge} />
    </Step>
  );
}
