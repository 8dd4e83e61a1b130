import { type DirectoryEntry, valuesOf } from '../client/values.ts';

/** What users have for a password who have none. */
export const unusablePassword = '!';

const disabledBit = 0x2;
const lockedBit = 0x10;

/**
 * Whether the directory keeps the user from signing in (Active Directory; FreeIPA and 389), at a time in milliseconds.
 */
export function isLockedThere(entry: DirectoryEntry, now: number): boolean {
  const control = Number(valuesOf(entry, 'userAccountControl')[0] ?? 0);
  if ((control & (disabledBit | lockedBit)) !== 0) return true;
  if (valuesOf(entry, 'nsaccountlock')[0]?.toLowerCase() === 'true') return true;
  return expiryOf(entry) <= now;
}

/** Zero and the largest number mean never in Active Directory. */
function expiryOf(entry: DirectoryEntry): number {
  const filetime = Number(valuesOf(entry, 'accountExpires')[0] ?? 0);
  if (filetime > 0) return fromFiletime(filetime);
  return fromGeneralizedTime(valuesOf(entry, 'krbPrincipalExpiration')[0] ?? '') ?? Number.POSITIVE_INFINITY;
}

const epochOfFiletime = 11_644_473_600_000;
const fromFiletime = (filetime: number): number => filetime / 10_000 - epochOfFiletime;

function fromGeneralizedTime(text: string): number | null {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:[.,]\d+)?Z$/.exec(text) ?? [];
  return year === undefined ? null : Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

/** When the password was last changed there, in milliseconds; null if unknown. */
export function passwordChangedAt(entry: DirectoryEntry): number | null {
  const filetime = Number(valuesOf(entry, 'pwdLastSet')[0] ?? 0);
  if (filetime > 0) return fromFiletime(filetime);
  return fromGeneralizedTime(valuesOf(entry, 'krbLastPwdChange')[0] ?? valuesOf(entry, 'pwdChangedTime')[0] ?? '');
}
