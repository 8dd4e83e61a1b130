/** What one client, and all of them together, may take. The HTTP side shares the process. */
export const limits = {
  connections: 1_000,
  connectionsOfNetwork: 250,
  /** Of an IPv6 /56 or /48. */
  connectionsOfSite: 500,
  /** Operations of one connection at a time; further ones wait unread. */
  operations: 8,
  /** Operations and connections of a network without a bind, in a minute. */
  anonymousPerMinute: 3_000,
  /** Until a connection has to have bound, and a begun message or answer has to have gone through. */
  anonymousIdleMs: 60_000,
  boundIdleMs: 20 * 60_000,
  stalledMs: 30_000,
  /** Entries of an answer without paging, and of a page. */
  entries: 10_000,
  searchMs: 30_000,
  /** Parts of a filter: each is a condition of a statement, which databases limit. */
  filterParts: 250,
  /** Entries that are sorted for a client. */
  sorted: 20_000,
  /** Paged searches that a connection may leave open. */
  pagedSearches: 4,
} as const;
