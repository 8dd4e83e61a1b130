import type { ValidationChallenge } from './validate.tsx';

export interface DeviceChallenge {
  readonly device_class: string;
  readonly device_uid: string;
  readonly challenge: Readonly<Record<string, unknown>>;
}

/** One way to confirm: the screen, the device that was chosen, and the way back to the others. */
export interface ValidateProps {
  readonly challenge: ValidationChallenge;
  readonly device: DeviceChallenge;
  readonly onOther?: (() => void) | undefined;
}

interface DeviceClass {
  readonly title: string;
  readonly text: string;
  /** Whether the server has to do something first: send a message. */
  readonly isCalled?: boolean;
}

export const deviceClasses: Readonly<Record<string, DeviceClass>> = {
  totp: { title: 'Authenticator app', text: 'Enter the code that the app shows.' },
  static: { title: 'Recovery code', text: 'Enter one of the codes that you kept.' },
  webauthn: { title: 'Passkey or security key', text: 'Confirm with your device.' },
  sms: { title: 'Text message', text: 'Get a code on your phone.', isCalled: true },
  twofactor: { title: 'Push message', text: 'Confirm in the app on your phone.' },
};
