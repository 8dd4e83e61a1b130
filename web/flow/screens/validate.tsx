import './validate.css';
import { useState } from 'react';
import { Button } from '../../elements/button.tsx';
import type { WithPendingUser } from '../challenge.ts';
import { Step } from '../step.tsx';
import { useWalkOfScreen } from '../walk-context.ts';
import { Who } from '../who.tsx';
import { type DeviceChallenge, deviceClasses } from './device-classes.ts';
import { ValidateCode } from './validate-code.tsx';
import { ValidatePasskey } from './validate-passkey.tsx';
import { ValidatePush } from './validate-push.tsx';

interface SetupStage {
  readonly pk: string;
  readonly name: string;
  readonly verbose_name: string;
}

export interface ValidationChallenge extends WithPendingUser {
  readonly device_challenges: readonly DeviceChallenge[];
  readonly configuration_stages: readonly SetupStage[];
}

const byClass: Readonly<Record<string, typeof ValidateCode>> = {
  webauthn: ValidatePasskey,
  twofactor: ValidatePush,
};

/** The second factor: which device, and then what that device has to say. Who has none sets one up. */
export function ValidateScreen({ challenge }: { challenge: ValidationChallenge }) {
  const { device_challenges: devices } = challenge;
  const [chosen, setChosen] = useState<DeviceChallenge | null>(devices.length === 1 ? (devices[0] ?? null) : null);
  if (devices.length === 0) return <ChooseSetup challenge={challenge} />;
  if (!chosen) return <ChooseDevice challenge={challenge} onChoose={setChosen} />;
  // A challenge to a device is good for one answer: after a wrong one there is another.
  const current = devices.find(({ device_uid }) => device_uid === chosen.device_uid) ?? chosen;
  const Validate = byClass[current.device_class] ?? ValidateCode;
  return (
    <Validate challenge={challenge} device={current} onOther={devices.length > 1 ? () => setChosen(null) : undefined} />
  );
}

function ChooseDevice({ challenge, onChoose }: { challenge: ValidationChallenge; onChoose(d: DeviceChallenge): void }) {
  const { answer } = useWalkOfScreen();
  async function choose(device: DeviceChallenge): Promise<void> {
    // Devices that have to be called are told so; the others wait to be asked.
    if (deviceClasses[device.device_class]?.isCalled) await answer({ selected_challenge: device });
    onChoose(device);
  }
  return (
    <Step challenge={challenge} title="Is it you?" intro="How do you want to confirm that it is you?">
      <Who challenge={challenge} />
      <div className="ways">
        {challenge.device_challenges.map((device) => (
          <Way
            key={device.device_uid}
            title={deviceClasses[device.device_class]?.title ?? device.device_class}
            text={deviceClasses[device.device_class]?.text ?? ''}
            onChoose={() => void choose(device)}
          />
        ))}
      </div>
    </Step>
  );
}

function ChooseSetup({ challenge }: { challenge: ValidationChallenge }) {
  const { answer } = useWalkOfScreen();
  return (
    <Step challenge={challenge} title="Set up a second factor" intro="You need one more way to confirm that it is you.">
      <Who challenge={challenge} />
      <div className="ways">
        {challenge.configuration_stages.map(({ pk, name, verbose_name }) => (
          <Way key={pk} title={name} text={verbose_name} onChoose={() => void answer({ selected_stage: pk })} />
        ))}
      </div>
    </Step>
  );
}

function Way({ title, text, onChoose }: { title: string; text: string; onChoose(): void }) {
  const { isBusy } = useWalkOfScreen();
  return (
    <Button isBusy={isBusy} onClick={onChoose}>
      <span className="way-title">{title}</span>
      <span className="way-text">{text}</span>
    </Button>
  );
}
