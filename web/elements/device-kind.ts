import type { Device } from '../api/types.ts';
import { known, type Text, t } from '../texts/texts.ts';

const kinds: Readonly<Record<string, Text>> = {
  totp: 'Authenticator app',
  static: 'Recovery codes',
  webauthn: 'Passkey',
  sms: 'Text messages',
  twofactor: 'Push messages',
};

/** As paths of the API have it. */
export const deviceKind = ({ meta_model_name }: Device): string =>
  /authenticator_([a-z]+)\./.exec(meta_model_name)?.[1] ?? '';

export function deviceKindName(device: Device): string {
  const name = kinds[deviceKind(device)];
  return name ? t(name) : known(device.verbose_name);
}

/** The name that its owner gave it, else that of its kind. */
export const deviceName = (device: Device): string =>
  device.name === '' || device.name === kinds[deviceKind(device)] ? deviceKindName(device) : device.name;
