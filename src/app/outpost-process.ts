import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { createKeptDecisions } from '../kinds/providers/proxy/kept-decisions.ts';
import { outpostHosts } from '../kinds/providers/proxy/outpost-hosts.ts';
import { parseCidrs } from '../lib/cidr.ts';
import type { Config } from '../platform/config.ts';
import { json } from '../platform/http/routes.ts';
import { createServer, type HttpServer } from '../platform/http/server.ts';
import { createUpstreams } from '../platform/http/upstream.ts';
import type { Log } from '../platform/log.ts';
import { createServerLink, type ServerLink } from '../provider/outpost/server-link.ts';
import { version } from './version.ts';

export interface OutpostProcess {
  readonly server: HttpServer;
  readonly link: ServerLink;
}

/** An outpost that runs as a process of its own: it holds no data but what the server has allowed lately. */
export function composeOutpost(
  config: Pick<Config, 'trustedProxies' | 'outboundAllow'>,
  log: Log,
  { server: address, token }: { readonly server: string; readonly token: string },
): OutpostProcess {
  const decisions = createKeptDecisions();
  const link: ServerLink = createServerLink({
    ...{ server: address, token, log },
    instance: {
      uid: randomUUID(),
      version,
      hostname: hostname().replaceAll(/[^\w.-]/g, ''),
      openssl_version: `OpenSSL ${process.versions.openssl}`,
    },
    onRefused: decisions.clear,
    onReport: () => decisions.prune(link.keepMs),
  });
  const upstreams = createUpstreams(parseCidrs(config.outboundAllow));
  const server = createServer({
    log,
    trustedProxies: config.trustedProxies,
    hosted: outpostHosts({ link, decisions, upstreams }),
  });
  server.routes.on(['GET'], '/-/health/live/', async () => json(200, { status: 'ok' }));
  server.routes.on(['GET'], '/-/health/ready/', async () => ({
    ...json(link.state === 'connected' && !server.isStopping ? 200 : 503, { status: link.state }),
    isLogged: true,
  }));
  return { server, link };
}
