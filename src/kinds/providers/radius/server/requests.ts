import { createLruCache } from '../../../../lib/lru-cache.ts';
import { Problem } from '../../../../lib/problem.ts';
import { codes, encodeResponse, type Packet, type Response, readPacket } from '../../../../lib/radius/packet.ts';
import { isUnreachable } from '../../../../platform/db/unreachable.ts';
import type { Metrics } from '../../../../platform/metrics.ts';
import { PasswordQueueFull } from '../../../../platform/passwords.ts';
import { programCall } from '../../../../provider/password-server/program-call.ts';
import type { ServerNeeds } from '../../../../provider/password-server/server-needs.ts';
import type { ServedProvider } from '../served-providers.ts';
import { whyNotAnswered } from './admit.ts';
import { reject } from './answer.ts';
import type { Clients } from './clients.ts';
import type { Complain } from './complaints.ts';
import { limits } from './limits.ts';
import type { RadiusCall } from './radius-call.ts';

export interface Arrived {
  readonly datagram: Buffer;
  readonly ip: string;
  readonly port: number;
  readonly isSecure: boolean;
  /** The provider and its secret, where they are known already. */
  readonly known?: ServedProvider;
}

export interface Requests {
  /** Null: no answer. */
  answer(arrived: Arrived): Promise<Buffer | null>;
}

interface Remembered {
  readonly authenticator: Buffer;
  until: number;
  /** Null while the answer is being made. */
  answer: Buffer | null;
}

interface RadiusRequestNeeds extends ServerNeeds {
  readonly complain: Complain;
  readonly metrics: Pick<Metrics, 'countRadiusRequest'>;
}

/** Null: no answer. */
type Handle = (request: RadiusCall) => Promise<Response | null>;

/** From a datagram to its answer. Malformed datagrams get none, and cost little. */
export function createRequests(needs: RadiusRequestNeeds, clients: Clients, handle: Handle): Requests {
  const { complain } = needs;
  const remembered = createLruCache<Remembered>(limits.remembered);
  const runningOf = new Map<string, number>();
  let running = 0;

  async function respond(arrived: Arrived, packet: Packet, provider: ServedProvider): Promise<Response | null> {
    if (packet.code === codes.statusServer) return { code: codes.accessAccept, attributes: [] };
    const call = programCall(needs, { protocol: 'RADIUS', clientIp: arrived.ip, isSecure: arrived.isSecure });
    try {
      return await needs.sandbox.budgets.share(
        () => needs.db.scope(() => handle({ call, packet, provider })),
        async () => needs.log.warn({ request_id: call.request.id }, 'expressions took too long for a RADIUS request'),
      );
    } catch (error) {
      // The client retries here or at another server.
      if (isBusy(error)) return null;
      needs.log.error({ err: error, request_id: call.request.id }, 'a RADIUS request failed');
      return reject;
    }
  }

  async function run(arrived: Arrived, packet: Packet, provider: ServedProvider): Promise<Buffer | null> {
    const { ip } = arrived;
    const ofClient = runningOf.get(ip) ?? 0;
    if (running >= limits.running || ofClient >= limits.runningOfClient)
      return complain(ip, 'too many requests are being answered');
    running += 1;
    runningOf.set(ip, ofClient + 1);
    try {
      const response = await respond(arrived, packet, provider);
      if (!response) return null;
      return (
        encodeResponse(packet, provider.secret, response) ??
        (complain(ip, 'the answer does not fit into a packet') || encodeResponse(packet, provider.secret, reject))
      );
    } finally {
      running -= 1;
      const left = (runningOf.get(ip) ?? 1) - 1;
      if (left > 0) runningOf.set(ip, left);
      else runningOf.delete(ip);
    }
  }

  async function answer(arrived: Arrived): Promise<Buffer | null> {
    const { datagram, ip, port } = arrived;
    const packet = readPacket(datagram);
    if (!packet) return complain(ip, 'it is malformed');
    const provider = arrived.known ?? (await clients.find(ip));
    if (!provider) return complain(ip, 'no provider that serves an application has a network for it');
    const why = whyNotAnswered(packet, provider);
    if (why !== null) return complain(ip, why);
    const key = `${ip} ${port} ${arrived.isSecure} ${packet.identifier}`;
    const before = remembered.get(key);
    if (before && before.until > performance.now() && before.authenticator.equals(packet.authenticator))
      return before.answer;
    const entry: Remembered = {
      authenticator: Buffer.from(packet.authenticator),
      until: performance.now() + limits.rememberedMs,
      answer: null,
    };
    remembered.set(key, entry);
    entry.answer = await run(arrived, packet, provider);
    // Asked again, it is tried again.
    if (!entry.answer) entry.until = 0;
    return entry.answer;
  }

  return {
    async answer(arrived) {
      const bytes = await answer(arrived);
      if (arrived.datagram[0] !== codes.statusServer) needs.metrics.countRadiusRequest(outcomeOf(bytes));
      return bytes;
    },
  };
}

function outcomeOf(answer: Buffer | null): string {
  if (answer === null) return 'dropped';
  if (answer[0] === codes.accessChallenge) return 'challenged';
  return answer[0] === codes.accessAccept ? 'accepted' : 'rejected';
}

const isBusy = (error: unknown): boolean =>
  error instanceof PasswordQueueFull ||
  isUnreachable(error) ||
  (error instanceof Problem && error.code === 'unavailable');
