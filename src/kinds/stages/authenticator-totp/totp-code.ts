import { randomText } from '../../../platform/random.ts';

/** What an app and the server share. */
export interface TotpKey {
  /** In base 32, as apps take it. */
  readonly secret: string;
  readonly digits: number;
}

const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const periodSeconds = 30;
/** RFC 6238 §5.2: one step for a slow hand or clock, no more. */
const window = 1;

/** 160 bits, as RFC 4226 §4 recommends. */
export const newTotpSecret = (): string => randomText(32, base32);

/** The time step whose code this is, or null when it is none of those that count now. */
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

/** The address that apps read from a picture. */
export async function totpUrl({ secret, digits }: TotpKey, issuer: string, label: string): Promise<string> {
  const { TOTP, Secret } = await import('otpauth');
  return new TOTP({ issuer, label, secret: Secret.fromBase32(secret), digits, period: periodSeconds }).toString();
}
