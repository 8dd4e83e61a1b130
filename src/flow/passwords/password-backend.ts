import type { UserFacts } from '../../core/mapping/user-facts.ts';
import type { UserText } from '../../lib/texts/message.ts';
import type { Query } from '../../platform/db/database.ts';
import type { Call } from '../../resource/call.ts';

/** The password backend of directories: users sign in with the password that they have there. */
export const directoryPasswords = 'svc.sources.ldap.auth.LDAPBackend';

export type DirectoryVerdict =
  /**
   * `after` runs in the transaction that records the sign-in; `stored` is when it says that the password was set here.
   */
  | { readonly outcome: 'right'; readonly stored: string | null; after(tx: Query): Promise<void> }
  | { readonly outcome: 'wrong' }
  /** No directory has the user. */
  | { readonly outcome: 'not theirs' }
  /** It could not be reached: the password is unverified. */
  | { readonly outcome: 'unavailable' };

/** An external system that verifies the passwords of some users. */
export interface PasswordBackend {
  /** Whether any user has such a backend. */
  isInUse(query: Query): Promise<boolean>;
  verify(user: Pick<UserFacts, 'pk' | 'username'>, password: string, call: Call): Promise<DirectoryVerdict>;
  /**
   * Writes a new password before it is stored here. Returns why it was not taken, for the user; it must not be stored
   * then.
   */
  change(user: number, password: string, call: Call): Promise<UserText | null>;
}

/** Sets a new password; returns the complaint of the first backend that refuses it. */
export async function changeEverywhere(
  backends: readonly PasswordBackend[],
  user: number,
  password: string,
  call: Call,
): Promise<UserText | null> {
  for (const backend of backends) {
    const refusal = await backend.change(user, password, call);
    if (refusal !== null) return refusal;
  }
  return null;
}
