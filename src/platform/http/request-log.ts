import type { Log } from '../log.ts';
import type { RequestFacts } from './request-facts.ts';
import type { HttpResponse } from './routes.ts';

type LogRequest = (answer: HttpResponse, request: RequestFacts, url: string | undefined, milliseconds: number) => void;

/**
 * One line per request: at `error` for a fault, with any response; at `info` when a page or a protocol refused, since
 * people report the request id that they were shown; otherwise at `debug`.
 */
export function logRequests(log: Log): LogRequest {
  const showsRefusals = log.isLevelEnabled('info');
  const showsEach = log.isLevelEnabled('debug');
  return ({ status, fault = null, isLogged = false }, { id, method, path, clientIp: ip }, url, milliseconds) => {
    const hasFailed = !isLogged && (status >= 500 || fault !== null);
    const isRefused = showsRefusals && status >= 400 && !isLogged && !path.startsWith('/api/');
    if (!hasFailed && !isRefused && !showsEach) return;
    const ms = Math.round(milliseconds * 10) / 10;
    const line = { request_id: id, req: { method, url, ip }, res: { statusCode: status }, ms };
    if (hasFailed) log.error({ ...line, err: fault ?? undefined }, 'request failed');
    else if (isRefused) log.info(line, 'request refused');
    else log.debug(line, 'request');
  };
}
