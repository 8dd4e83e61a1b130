import { type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import type { Log } from '../log.ts';

interface Finished {
  readonly id: string;
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly ip: string;
  readonly milliseconds: number;
  readonly fault: unknown;
}

/** One line for each request: at `error` when the server failed, else at `debug`. Most have none, and need not be described. */
export function noteRequest(log: Log): (status: number, describe: () => Finished) => void {
  const showsEach = log.isLevelEnabled('debug');
  return (status, describe) => {
    const hasFailed = status >= 500;
    if (!hasFailed && !showsEach) return;
    const { id, milliseconds, fault, ...req } = describe();
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
    this.#note(reply.statusCode, () => {
      const { id, method, url, facts, fault } = request;
      return { id, method, url, ip: facts.clientIp, milliseconds: reply.elapsedTime, fault: fault ?? error };
    });
  }

  override routeNotFound(): void {}

  override serviceUnavailable(): void {}
}
