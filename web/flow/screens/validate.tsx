import type { AuthenticatorValidateChallenge } from '../../api/types.ts';
import { t } from '../../texts/texts.ts';
import './validate.css';
import { useState } from 'react';
import { Button } from '../../elements/button.tsx';
import { Step } from '../step.tsx';
import { useWalkOfScreen } from '../walk-context.ts';
import { Who } from '../who.tsx';
import { classSetUpBy, type DeviceChallenge, type DeviceClass, deviceClasses, waysOf } from './device-classes.ts';
import { ValidateCode } from './validate-code.tsx';
import { ValidatePasskey } from './validate-passkey.tsx';
import { ValidatePush } from './validate-push.tsx';

const byClass: Readonly<Record<string, typeof ValidateCode>> = {
  webauthn: ValidatePasskey,
  twofactor: ValidatePush,
};

/** The second factor: choose a device, then verify it. People without a device enrol one. */
export function ValidateScreen({ challenge }: { challenge: AuthenticatorValidateChallenge }) {
  const { device_challenges: devices } = challenge;
  const [chosen, setChosen] = useState(() => firstChoice(devices));
  if (devices.length === 0) return <ChooseSetup challenge={challenge} />;
  // A device challenge is valid for one answer; after a wrong one there is a new challenge.
  const current = chosen && devices.find(({ device_uid }) => device_uid === chosen.device_uid);
  if (!current) return <ChooseDevice challenge={challenge} onChoose={setChosen} />;
  const Validate = byClass[current.device_class] ?? ValidateCode;
  const hasOthers = waysOf(devices).length > 1;
  return <Validate challenge={challenge} device={current} onOther={hasOthers ? () => setChosen(null) : undefined} />;
}

/** The only device, or the last used one; but no message is sent that nobody requested. */
function firstChoice(devices: readonly DeviceChallenge[]): DeviceChallenge | null {
  const [first] = devices;
  if (!first || deviceClasses[first.device_class]?.isCalled) return null;
  return first.last_used || waysOf(devices).length === 1 ? first : null;
}

interface Choosing {
  readonly challenge: AuthenticatorValidateChallenge;
  onChoose(device: DeviceChallenge): void;
}

function ChooseDevice({ challenge, onChoose }: Choosing) {
  const { answer } = useWalkOfScreen();
  async function choose(device: DeviceChallenge): Promise<void> {
    // Tell the server only about devices that need it to act first.
    if (deviceClasses[device.device_class]?.isCalled) await answer({ selected_challenge: device }, { isPart: true });
    onChoose(device);
  }
  return (
    <Step challenge={challenge} title={t('Is it you?')} intro={t('How do you want to verify your identity?')}>
      <Who challenge={challenge} />
      <div className="ways">
        {waysOf(challenge.device_challenges).map((device) => (
          <Way
            key={`${device.device_class} ${device.device_uid}`}
            {...errorMessage(deviceClasses[device.device_class], device.device_class, '')}
            onChoose={() => void choose(device)}
          />
        ))}
      </div>
    </Step>
  );
}

function ChooseSetup({ challenge }: { challenge: AuthenticatorValidateChallenge }) {
  const { answer } = useWalkOfScreen();
  return (
    <Step
      challenge={challenge}
      title={t('Set up a second factor')}
      intro={t('You need another method to verify your identity.')}
    >
      <Who challenge={challenge} />
      <div className="ways">
        {challenge.configuration_stages.map(({ pk, name, verbose_name, meta_model_name }) => (
          <Way
            key={pk}
            {...errorMessage(classSetUpBy(meta_model_name), verbose_name, name)}
            onChoose={() => void answer({ selected_stage: pk })}
          />
        ))}
      </div>
    </Step>
  );
}

/** A class of devices in the page's language, or what else there is to say. */
const errorMessage = (known: DeviceClass | undefined, title: string, text: string) =>
  known ? { title: t(known.title), text: t(known.text) } : { title, text };

function Way({ title, text, onChoose }: { title: string; text: string; onChoose(): void }) {
  const { isBusy } = useWalkOfScreen();
  return (
    <Button isBusy={isBusy} onClick={onChoose}>
      <span>{title}</span>
      <span className="way-text">{text}</span>
    </Button>
  );
}
