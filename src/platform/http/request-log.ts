import { type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import type { Log } from '../log.ts';

/** One line for each request: at `error` when the server failed, else at `debug`. */
export class RequestLog extends LogController {
  readonly #log: Log;
  readonly #showsEach: boolean;

  constructor(log: Log) {
    super();
    this.#log = log;
    this.#showsEach = log.isLevelEnabled('debug');
  }

  override incomingRequest(): void {}

  override requestCompleted(error: Error | null, request: FastifyRequest, reply: FastifyReply): void {
    const hasFailed = reply.statusCode >= 500;
    if (!hasFailed && !this.#showsEach) return;
    const line = { request_id: request.id, req: request, res: reply, ms: Math.round(reply.elapsedTime * 10) / 10 };
    if (hasFailed) this.#log.error({ ...line, err: request.fault ?? error ?? undefined }, 'request failed');
    else this.#log.debug(line, 'request');
  }

  override routeNotFound(): void {}

  override serviceUnavailable(): void {}
}
