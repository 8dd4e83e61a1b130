import { type DirectoryEntry, valuesOf } from '../client/values.ts';

/** What users have for a password who have none. */
export const unusablePassword = '!';

const disabledBit = 0x2;
const lockedBit = 0x10;

/** Whether the directory keeps the user from signing in (Active Directory; FreeIPA and 389). */
export function isLockedThere(entry: DirectoryEntry): boolean {
  const control = Number(valuesOf(entry, 'userAccountControl')[0] ?? 0);
  if ((control & (disabledBit | lockedBit)) !== 0) return true;
  return valuesOf(entry, 'nsaccountlock')[0]?.toLowerCase() === 'true';
}

const epochOfFiletime = 11_644_473_600_000;

/** When the password was last changed there, in milliseconds; null if unknown. */
export function passwordChangedAt(entry: DirectoryEntry): number | null {
  const filetime = Number(valuesOf(entry, 'pwdLastSet')[0] ?? 0);
  if (filetime > 0) return filetime / 10_000 - epochOfFiletime;
  const text = valuesOf(entry, 'krbLastPwdChange')[0] ?? valuesOf(entry, 'pwdChangedTime')[0] ?? '';
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:[.,]\d+)?Z$/.exec(text) ?? [];
  return year === undefined ? null : Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}
