/** What one network, and all of them together, may take. */
export const limits = {
  connections: 500,
  connectionsOfNetwork: 100,
  /** Of an IPv6 /56 or /48. */
  connectionsOfSite: 250,
  /** Each costs a handshake. */
  connectionsPerMinute: 300,
  handshakeMs: 10_000,
  /** Packets of one connection that are being answered; further ones wait unread. */
  runningOfConnection: 32,
  idleMs: 30 * 60_000,
  /** Until the rest of a packet has arrived, and the peer has read its answers. */
  stalledMs: 30_000,
  sweptEveryMs: 5_000,
} as const;
