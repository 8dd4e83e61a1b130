import { randomBytes } from 'node:crypto';
import { createRateLimit } from '../../../../platform/limits/rate-limit.ts';
import type { Tunnel } from './tls-tunnel.ts';

/** A conversation with a device that wants into a network. */
export interface EapSession {
  readonly client: string;
  readonly provider: number;
  readonly state: Buffer;
  readonly startedAt: number;
  /** The type that is being tried. */
  method: number;
  readonly tried: Set<number>;
  /** The identifier of the request that the device has to answer. */
  id: number;
  tunnel: Tunnel | null;
  /** Fragments that are still to be sent. */
  outgoing: Buffer[];
  incoming: Buffer[];
  received: number;
  rounds: number;
}

const limits = {
  sessions: 500,
  ofClient: 250,
  /** Each costs a handshake of TLS. */
  ofClientPerMinute: 1_200,
  ageMs: 30_000,
  bytes: 65_536,
  rounds: 60,
  sweptEveryMs: 5_000,
} as const;

export interface EapSessions {
  /** Null if there are too many. */
  open(client: string, provider: number, method: number): EapSession | null;
  /** The one that a request goes on with; it is counted. */
  resume(state: Buffer, client: string, provider: number, bytes: number): EapSession | null;
  end(session: EapSession): void;
}

/** Conversations, bounded in number, bytes, rounds and time. */
export function createEapSessions(): EapSessions {
  const sessions = new Map<string, EapSession>();
  const opened = createRateLimit({ max: limits.ofClientPerMinute, windowMs: 60_000 });
  let timer: NodeJS.Timeout | undefined;

  const isOver = ({ startedAt }: EapSession) => performance.now() - startedAt > limits.ageMs;

  function end(session: EapSession): void {
    sessions.delete(session.state.toString('hex'));
    session.tunnel?.close();
    if (sessions.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  function sweep(): void {
    for (const session of sessions.values()) if (isOver(session)) end(session);
  }

  return {
    end,
    open(client, provider, method) {
      if (opened.waitAfter(client) > 0) return null;
      if (sessions.size >= limits.sessions) sweep();
      const ofClient = [...sessions.values()].filter((one) => one.client === client).length;
      if (sessions.size >= limits.sessions || ofClient >= limits.ofClient) return null;
      const session: EapSession = {
        ...{ client, provider, method, state: randomBytes(16), startedAt: performance.now(), tried: new Set([method]) },
        ...{ id: 0, tunnel: null, outgoing: [], incoming: [], received: 0, rounds: 0 },
      };
      sessions.set(session.state.toString('hex'), session);
      timer ??= setInterval(sweep, limits.sweptEveryMs).unref();
      return session;
    },
    resume(state, client, provider, bytes) {
      const session = sessions.get(state.toString('hex'));
      if (!session || session.client !== client || session.provider !== provider) return null;
      session.received += bytes;
      session.rounds += 1;
      if (!isOver(session) && session.received <= limits.bytes && session.rounds <= limits.rounds) return session;
      end(session);
      return null;
    },
  };
}
