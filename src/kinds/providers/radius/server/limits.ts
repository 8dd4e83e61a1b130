/** What one client, and all of them together, may take. The HTTP side shares the process. */
export const limits = {
  /** Requests that are being answered. */
  running: 400,
  runningOfClient: 200,
  /** Datagrams that wait until it is known which clients there are. */
  waiting: 500,
  /** How long answers are kept for requests that are sent again, and how many. */
  rememberedMs: 10_000,
  remembered: 2_000,
  /** How long the clients are taken from memory. */
  clientsHoldMs: 100,
  /** Lines in the log about what a client does wrong, in a minute. */
  complaintsPerMinute: 1,
  complaintsOfAllPerMinute: 60,
} as const;
