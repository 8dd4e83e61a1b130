import type { Socket } from 'node:net';
import { parseCidrs } from '../../lib/cidr.ts';
import { isJsonObject, memberOf } from '../../lib/json.ts';
import { createFetch, type OutboundResponse } from '../../platform/fetch/guarded-fetch.ts';
import { OutboundError } from '../../platform/fetch/outbound-error.ts';
import type { Log } from '../../platform/log.ts';
import { createStreamOpener, StreamRefused } from './open-stream.ts';
import { type OutpostInstance, reportEveryMs } from './outpost-instances.ts';
import { relayPath, reportPath } from './outpost-paths.ts';
import { type RelayedAnswer, type RelayedRequest, readRelayedAnswer } from './relayed-request.ts';

/**
 * `away`: the server cannot be reached, or cannot decide. `refused`: it does not accept the token. `invalid`: it
 * refuses the request itself.
 */
export type LinkFailure = 'away' | 'refused' | 'invalid';
export type LinkState = 'connecting' | 'connected' | 'away' | 'refused';

/** How the process of an outpost reaches its server. */
export interface ServerLink {
  readonly state: LinkState;
  /** How long earlier decisions are honored while the server is away, as the server said last. */
  readonly keepMs: number;
  /** The type of the outpost; null until the server was reached. */
  readonly type: string | null;
  relay(request: RelayedRequest): Promise<RelayedAnswer | LinkFailure>;
  /** A stream to the server. It is closed when the token is refused, or the server cannot be reached any more. */
  open(query: Readonly<Record<string, string>>): Promise<Socket | LinkFailure>;
  /** Reports that the process runs, now. */
  report(): Promise<void>;
  /** Goes on reporting. */
  start(): void;
  close(): Promise<void>;
}

interface Options {
  /** The address of the server. */
  readonly server: string;
  readonly token: string;
  readonly log: Log;
  readonly instance: OutpostInstance;
  /** The token was refused: nothing that the server has decided before holds any more. */
  onRefused(): void;
  /** Called with each report. */
  onReport?(): void;
  /** Called when the server first says which type the outpost has, and when that changes. */
  onType(type: string): void;
}

const timeoutMs = 5_000;
const maxBytes = 1_048_576;
/** Reports in a row that the server did not get. */
const lostAfter = 2;
const complainEveryMs = 60_000;
/** The administrator of the machine names the server, which is often in the same network. */
const everywhere = parseCidrs(['0.0.0.0/0', '::/0']);

export function createServerLink(options: Options): ServerLink {
  const { server, token, log, instance, onRefused, onReport, onType } = options;
  const fetch = createFetch({ allow: everywhere, timeoutMs, maxBytes });
  const openStream = createStreamOpener({ server, token, timeoutMs });
  const streams = new Set<Socket>();
  let lostReports = 0;
  let complainedAt = Number.NEGATIVE_INFINITY;
  let state: LinkState = 'connecting';
  let keepMs = 0;
  let type: string | null = null;
  let timer: NodeJS.Timeout | undefined;

  function become(next: LinkState, why: unknown): void {
    if (next === 'refused') {
      onRefused();
      closeStreams();
    }
    if (next === state) return;
    state = next;
    if (next === 'connected') log.info({ server }, 'connected to the server');
    else if (next === 'refused') log.error({ server }, 'the server refuses the token of this outpost');
    else log.warn({ server, err: why }, 'the server cannot be reached');
  }

  function closeStreams(): void {
    for (const stream of streams) stream.destroy();
  }

  async function open(query: Readonly<Record<string, string>>): Promise<Socket | LinkFailure> {
    // The reports find out when the token is accepted again.
    if (state === 'refused') return 'refused';
    try {
      const stream = await openStream(query);
      become('connected', null);
      streams.add(stream);
      stream.once('close', () => streams.delete(stream));
      return stream;
    } catch (error) {
      const status = error instanceof StreamRefused ? error.status : null;
      if (status === null) {
        become('away', error);
        return 'away';
      }
      if (status === 401 || status === 403) {
        become('refused', null);
        return 'refused';
      }
      if (performance.now() - complainedAt > complainEveryMs) {
        complainedAt = performance.now();
        log.warn({ server, status }, refusedStream);
      }
      return 'invalid';
    }
  }

  async function post(path: string, message: unknown): Promise<{ readonly body: unknown } | LinkFailure> {
    try {
      const response = await fetch(new URL(path, server).href, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(message),
      });
      const { status } = response;
      const body = jsonOf(response);
      if (status === 401 || status === 403) become('refused', null);
      else if (status >= 500) become('away', new Error(`the server responded with ${status}`));
      else if (isJsonObject(body)) become('connected', null);
      else return foreignResponse(path, status);
      if (state !== 'connected') return state === 'refused' ? 'refused' : 'away';
      if (status !== 200) return 'invalid';
      const kept = memberOf(body, 'keep_ms');
      keepMs = typeof kept === 'number' && kept >= 0 ? kept : 0;
      return { body };
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      become('away', error);
      return 'away';
    }
  }

  /**
   * A reverse proxy responded, or another server. A request can cause the former, by its length for example, so only
   * reports mark the server as away: otherwise a client could have earlier decisions honored.
   */
  function foreignResponse(path: string, status: number): LinkFailure {
    if (path === reportPath) become('away', new Error(`something else than Gatehouse responded with ${status}`));
    return 'invalid';
  }

  async function report(): Promise<void> {
    const response = await post(reportPath, instance);
    onReport?.();
    lostReports = response === 'away' ? lostReports + 1 : 0;
    // A network that swallows everything closes nothing.
    if (lostReports >= lostAfter) closeStreams();
    if (typeof response === 'string') return;
    const named = memberOf(response.body, 'type');
    if (typeof named !== 'string' || named === type) return;
    type = named;
    onType(named);
  }

  return {
    get state() {
      return state;
    },
    get keepMs() {
      return keepMs;
    },
    get type() {
      return type;
    },
    async relay(request) {
      const response = await post(relayPath, request);
      if (typeof response === 'string') return response;
      return readRelayedAnswer(response.body) ?? 'invalid';
    },
    open,
    report,
    start() {
      timer = setInterval(() => void report().catch((err) => log.error({ err }, 'a report failed')), reportEveryMs);
    },
    async close() {
      clearInterval(timer);
      closeStreams();
      await fetch.close();
    },
  };
}

const refusedStream =
  'the server did not open a stream: with status 426, a reverse proxy in front of it does not pass Upgrade headers on';

function jsonOf(response: OutboundResponse): unknown {
  try {
    return response.json();
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return null;
  }
}
