import type { AuthenticatorValidateChallenge } from '../../api/types.ts';
import type { Text } from '../../texts/texts.ts';

export type DeviceChallenge = AuthenticatorValidateChallenge['device_challenges'][number];

/** One way to verify: the screen, the chosen device, and the way back to the others. */
export interface ValidateProps {
  readonly challenge: AuthenticatorValidateChallenge;
  readonly device: DeviceChallenge;
  readonly onOther?: (() => void) | undefined;
}

export interface DeviceClass {
  readonly title: Text;
  readonly text: Text;
  /** Whether the server has to act first, such as by sending a message. */
  readonly isCalled?: boolean;
  /** Whether each device is a separate choice; else any device of the class can answer. */
  readonly isSingle?: boolean;
}

export const deviceClasses: Readonly<Record<string, DeviceClass>> = {
  totp: { title: 'Authenticator app', text: 'Enter the code that the app shows.' },
  static: { title: 'Recovery codes', text: 'Enter one of your codes.' },
  webauthn: { title: 'Passkey', text: 'Confirm with your device.' },
  sms: { title: 'Text message', text: 'Get a code on your phone.', isCalled: true, isSingle: true },
  twofactor: { title: 'Push message', text: 'Confirm in the app on your phone.', isSingle: true },
};

/** The choices to offer: devices of a class that share a challenge are one. */
export function waysOf(devices: readonly DeviceChallenge[]): DeviceChallenge[] {
  const isFirst = (device: DeviceChallenge, at: number) =>
    devices.findIndex(({ device_class }) => device_class === device.device_class) === at;
  return devices.filter((device, at) => deviceClasses[device.device_class]?.isSingle || isFirst(device, at));
}

/** The device class that a stage enrols: `svc_stages_authenticator_totp.authenticatortotpstage`. */
export function classSetUpBy(model: string): DeviceClass | undefined {
  const name = /^\w+_authenticator_(\w+)\./.exec(model)?.[1];
  return name === undefined ? undefined : deviceClasses[name];
}
