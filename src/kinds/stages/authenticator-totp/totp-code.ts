import { randomText } from '../../../platform/random.ts';

export interface TotpKey {
  /** Base 32, as apps expect it. */
  readonly secret: string;
  readonly digits: number;
}

const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const periodSeconds = 30;
/** RFC 6238 §5.2: allow at most one step for a slow user or clock. */
const window = 1;

/** 160 bits, as RFC 4226 §4 recommends. */
export const newTotpSecret = (): string => randomText(32, base32);

/** Returns the time step that the code belongs to, or null if the code is not valid now. */
export async function stepOfCode({ secret, digits }: TotpKey, code: string, now: string): Promise<number | null> {
  if (code.length !== digits || !/^\d+$/.test(code)) return null;
  const { TOTP, Secret } = await import('otpauth');
  const timestamp = Date.parse(now);
  const delta = TOTP.validate({
    token: code,
    secret: Secret.fromBase32(secret),
    digits,
    period: periodSeconds,
    timestamp,
    window,
  });
  return delta === null ? null : Math.floor(timestamp / 1000 / periodSeconds) + delta;
}

/** The address that apps read from the QR code. */
export async function totpUrl({ secret, digits }: TotpKey, issuer: string, label: string): Promise<string> {
  const { TOTP, Secret } = await import('otpauth');
  return new TOTP({ issuer, label, secret: Secret.fromBase32(secret), digits, period: periodSeconds }).toString();
}
