/** An object whose page was opened in this window. */
export interface Recent {
  readonly path: string;
  readonly title: string;
  readonly kind: string;
}

const maxKept = 6;
const keyOf = (user: number): string => `gatehouse:recent:${user}`;

/** The objects opened last, newest first. They are forgotten with the window, and belong to one user. */
export function recentObjects(user: number): Recent[] {
  const text = sessionStorage.getItem(keyOf(user));
  return text ? JSON.parse(text) : [];
}

export function addRecent(user: number, added: Recent): void {
  const others = recentObjects(user).filter(({ path }) => path !== added.path);
  sessionStorage.setItem(keyOf(user), JSON.stringify([added, ...others].slice(0, maxKept)));
}

/** Forgets an object that does not exist any more. */
export function dropRecent(user: number, gone: string): void {
  const others = recentObjects(user).filter(({ path }) => path !== gone);
  sessionStorage.setItem(keyOf(user), JSON.stringify(others));
}
