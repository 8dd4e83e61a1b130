/** A count of unread notifications, and when it was read. */
interface Kept {
  readonly at: number;
  readonly count: number;
}

const keyOf = (user: number): string => `gatehouse:unread:${user}`;

/** The count that a page of this window has read last. */
export function keptUnreadCount(user: number): Kept | null {
  const text = sessionStorage.getItem(keyOf(user));
  return text ? JSON.parse(text) : null;
}

export function keepUnreadCount(user: number, count: number): void {
  sessionStorage.setItem(keyOf(user), JSON.stringify({ at: Date.now(), count }));
}
