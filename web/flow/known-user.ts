import { pageFacts } from './page-facts.ts';

/** Who signed in here before: what they typed, and their name once their own pages have shown it. */
export interface KnownUser {
  readonly uid: string;
  readonly name: string;
}

const key = 'gatehouse:known-user';
const typedKey = 'gatehouse typed uid';
const maxLength = 254;

export function knownUser(): KnownUser | null {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? 'null');
    const { uid, name } = { ...(stored as Partial<KnownUser> | null) };
    if (typeof uid !== 'string' || uid === '' || uid.length > maxLength) return null;
    return { uid, name: typeof name === 'string' && name !== '' ? name.slice(0, maxLength) : uid };
  } catch {
    return null;
  }
}

export function forgetKnownUser(): void {
  localStorage.removeItem(key);
  sessionStorage.removeItem(typedKey);
}

/** Until the sign-in has succeeded, a name is kept for this window only. */
export const noteTypedName = (uid: string): void => sessionStorage.setItem(typedKey, uid);

/** Remembers on this device who has signed in. */
export function rememberSignIn(): void {
  const uid = sessionStorage.getItem(typedKey);
  sessionStorage.removeItem(typedKey);
  if (!uid || pageFacts().designation !== 'authentication') return;
  const known = knownUser();
  if (known?.uid !== uid) localStorage.setItem(key, JSON.stringify({ uid, name: '' }));
}

/** The name of the person whose pages these are. */
export function nameKnownUser(person: { username: string; email: string; name: string }): void {
  const known = knownUser();
  const isSame = known && [person.username, person.email].some((one) => one.toLowerCase() === known.uid.toLowerCase());
  if (isSame && person.name !== '') localStorage.setItem(key, JSON.stringify({ uid: known.uid, name: person.name }));
}
