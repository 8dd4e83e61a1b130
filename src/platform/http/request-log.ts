import type { Log } from '../log.ts';
import type { RequestFacts } from './request-facts.ts';
import type { HttpAnswer } from './routes.ts';

type LogRequest = (answer: HttpAnswer, request: RequestFacts, url: string | undefined, startedAt: number) => void;

/** One line per request: at `error` when the server failed, whatever the response, otherwise at `debug`. */
export function logRequests(log: Log): LogRequest {
  const showsEach = log.isLevelEnabled('debug');
  return ({ status, fault = null }, { id, method, clientIp: ip }, url, startedAt) => {
    const hasFailed = status >= 500 || fault !== null;
    if (!hasFailed && !showsEach) return;
    const ms = Math.round((performance.now() - startedAt) * 10) / 10;
    const line = { request_id: id, req: { method, url, ip }, res: { statusCode: status }, ms };
    if (hasFailed) log.error({ ...line, err: fault ?? undefined }, 'request failed');
    else log.debug(line, 'request');
  };
}
