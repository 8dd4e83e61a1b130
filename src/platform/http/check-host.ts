import type { IncomingMessage } from 'node:http';
import { Problem } from '../../lib/problem.ts';

/**
 * RFC 9112 §3.2: a proxy may have routed the request by another of its Host headers. Node keeps the first in `headers`.
 */
export function checkHost({ headers, rawHeaders }: Pick<IncomingMessage, 'headers' | 'rawHeaders'>): void {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1 || (headers.host !== undefined && !hostAndPort.test(headers.host))) throw new Problem('bad_request');
}

/** RFC 3986 §3.2.2, §3.2.3, without the characters that neither DNS nor certificates allow. */
const hostAndPort = /^(?:[\w.~%-]*|\[[\da-f:.]+\])(?::\d*)?$/i;
