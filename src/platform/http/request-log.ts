import { type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import type { Log } from '../log.ts';

interface Asked {
  readonly id: string;
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly ip: string;
}

interface Outcome {
  readonly milliseconds: number;
  readonly fault: unknown;
}

/** One line for each request: at `error` when the server failed, else at `debug`. */
export function noteRequest(log: Log): (asked: Asked, status: number, outcome: Outcome) => void {
  const showsEach = log.isLevelEnabled('debug');
  return ({ id, ...req }, status, { milliseconds, fault }) => {
    const hasFailed = status >= 500;
    if (!hasFailed && !showsEach) return;
    const line = { request_id: id, req, res: { statusCode: status }, ms: Math.round(milliseconds * 10) / 10 };
    if (hasFailed) log.error({ ...line, err: fault ?? undefined }, 'request failed');
    else log.debug(line, 'request');
  };
}

/** The same lines for what Fastify serves. */
export class PageLog extends LogController {
  readonly #note: ReturnType<typeof noteRequest>;

  constructor(log: Log) {
    super();
    this.#note = noteRequest(log);
  }

  override incomingRequest(): void {}

  override requestCompleted(error: Error | null, request: FastifyRequest, reply: FastifyReply): void {
    const { id, method, url, fault } = request;
    const asked = { id, method, url, ip: request.facts.clientIp };
    this.#note(asked, reply.statusCode, { milliseconds: reply.elapsedTime, fault: fault ?? error });
  }

  override routeNotFound(): void {}

  override serviceUnavailable(): void {}
}
