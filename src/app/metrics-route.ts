import { contains, parseCidrs } from '../lib/cidr.ts';
import { equalInConstantTime } from '../lib/constant-time.ts';
import { Problem } from '../lib/problem.ts';
import type { RequestFacts } from '../platform/http/request-facts.ts';
import type { Routes } from '../platform/http/routes.ts';
import type { Metrics } from '../platform/metrics.ts';

const loopback = parseCidrs(['127.0.0.0/8', '::1/128']);
// Behind a proxy on this machine every request would seem local: forwarded ones are not.
const forwardingHeaders = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'];

/** For callers on this machine and holders of the token. */
export function mountMetrics(routes: Routes, metrics: Metrics, token: string | null): void {
  routes.on(['GET'], '/-/metrics', async ({ facts }) => {
    if (!isLocal(facts) && !hasToken(facts, token)) throw new Problem('permission_denied');
    const { type, text } = await metrics.render();
    return { status: 200, headers: { 'content-type': type }, body: text };
  });
}

export const isLocal = ({ clientIp, header }: Pick<RequestFacts, 'clientIp' | 'header'>): boolean =>
  contains(loopback, clientIp) && forwardingHeaders.every((name) => header(name) === undefined);

function hasToken({ header }: RequestFacts, token: string | null): boolean {
  const given = /^bearer +(\S+)$/i.exec(header('authorization') ?? '')?.[1];
  return token !== null && given !== undefined && equalInConstantTime(given, token);
}
