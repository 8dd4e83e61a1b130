import { isIP, type Socket } from 'node:net';
import { Invalid, Problem } from '../../lib/problem.ts';
import type { Database } from '../../platform/db/database.ts';
import type { HttpCall, Routes } from '../../platform/http/routes.ts';
import type { Log } from '../../platform/log.ts';
import { type AuthenticateOutpost, findOutpost, type OutpostFacts } from './authenticate-outpost.ts';
import { streamPath, streamProtocol } from './outpost-paths.ts';
import type { OutpostType } from './outpost-type.ts';

/** What came to an outpost by another protocol than HTTP, passed on as it comes. */
export interface OutpostStream {
  /** The key of the outpost. */
  readonly outpost: string;
  readonly socket: Socket;
  /** The client, as the outpost states it; the outpost itself for streams of several clients. */
  readonly clientIp: string;
  /** Whether the client speaks TLS from the start. */
  readonly isTls: boolean;
  /** Whether the outpost still has its rights. */
  isAllowed(): Promise<boolean>;
}

/** How a kind serves the streams of the outposts of its type. */
export interface OutpostStreams {
  /** The number of streams of one outpost. */
  readonly max: number;
  accept(stream: OutpostStream): void;
}

interface OutpostStreamsNeeds {
  readonly db: Database;
  readonly clock: { now(): string };
  readonly log: Log;
  readonly authenticate: AuthenticateOutpost;
  readonly streamsOf: ReadonlyMap<OutpostType, OutpostStreams>;
}

interface Open {
  readonly facts: OutpostFacts;
  readonly socket: Socket;
}

const checkedEveryMs = 1_000;

/** Serves streams of outposts for as long as their tokens are valid. */
export function mountOutpostStreams(
  routes: Routes,
  { db, clock, log, authenticate, streamsOf }: OutpostStreamsNeeds,
): void {
  const open = new Set<Open>();
  let timer: NodeJS.Timeout | undefined;
  let isChecking = false;

  const isValid = async ({ pk, type, tokenHash }: OutpostFacts): Promise<boolean> => {
    const found = await findOutpost(db, tokenHash, clock.now());
    return found?.pk === pk && found.type === type;
  };

  /** Closes the streams of outposts that have lost their rights. While the database is away, all stay open. */
  async function closeInvalid(): Promise<void> {
    const byToken = Map.groupBy(open, ({ facts }) => `${facts.tokenHash} ${facts.type}`);
    for (const streams of byToken.values())
      if (streams[0] && !(await isValid(streams[0].facts))) for (const { socket } of streams) socket.destroy();
  }

  function sweep(): void {
    if (isChecking) return;
    isChecking = true;
    closeInvalid()
      .catch((err: unknown) => log.warn({ err }, 'the tokens of outposts could not be checked'))
      .finally(() => {
        isChecking = false;
      });
  }

  function add(entry: Open, stopping: AbortSignal): void {
    const { socket } = entry;
    const stop = () => socket.destroy();
    open.add(entry);
    timer ??= setInterval(sweep, checkedEveryMs).unref();
    stopping.addEventListener('abort', stop, { once: true });
    socket.once('close', () => {
      open.delete(entry);
      stopping.removeEventListener('abort', stop);
      if (open.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    });
    if (stopping.aborted) stop();
  }

  routes.onUpgrade(streamProtocol, streamPath, async ({ facts: request, stopping }) => {
    const facts = await authenticate({ facts: request }, clock.now());
    const streams = streamsOf.get(facts.type);
    if (!streams) throw new Problem('bad_request', `Outposts of type ${facts.type} open no streams.`);
    const clientIp = readClient(request);
    const isFull = () => [...open].filter((one) => one.facts.pk === facts.pk).length >= streams.max;
    if (isFull()) throw new Problem('throttled');
    const isTls = request.query.get('tls') === 'true';
    return {
      take(socket) {
        add({ facts, socket }, stopping);
        streams.accept({ outpost: facts.pk, socket, clientIp, isTls, isAllowed: () => isValid(facts) });
      },
    };
  });
}

function readClient({ query, clientIp }: HttpCall['facts']): string {
  const stated = query.get('client') ?? clientIp;
  if (stated.length > 100 || isIP(stated) === 0) throw Invalid.field('client', 'Not a valid value.');
  return stated;
}
