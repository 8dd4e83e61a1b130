import { type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import type { Log } from '../log.ts';

interface Finished {
  readonly id: string;
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly ip: string;
  readonly milliseconds: number;
}

/**
 * One line for each request: at `error` when the server failed, whatever it told the caller, else at `debug`. Most have
 * none, and need not be described.
 */
export function noteRequest(log: Log): (status: number, fault: unknown, describe: () => Finished) => void {
  const showsEach = log.isLevelEnabled('debug');
  return (status, fault, describe) => {
    const hasFailed = status >= 500 || (fault ?? null) !== null;
    if (!hasFailed && !showsEach) return;
    const { id, milliseconds, ...req } = describe();
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
    const isFailure = reply.statusCode >= 500;
    this.#note(reply.statusCode, request.fault ?? (isFailure ? error : null), () => {
      const { id, method, url, facts } = request;
      return { id, method, url, ip: facts.clientIp, milliseconds: reply.elapsedTime };
    });
  }

  override routeNotFound(): void {}

  override serviceUnavailable(): void {}
}
