import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Listener } from '../flow/protocol-kind.ts';
import { createListener as createLdapListener } from '../kinds/providers/ldap/server/listener.ts';
import { relayConnections } from '../kinds/providers/ldap/server/relay-connections.ts';
import { createKeptDecisions } from '../kinds/providers/proxy/kept-decisions.ts';
import { outpostHosts } from '../kinds/providers/proxy/outpost-hosts.ts';
import { createListener as createRadiusListener } from '../kinds/providers/radius/server/listener.ts';
import { relayRequests } from '../kinds/providers/radius/server/relay-requests.ts';
import { parseCidrs } from '../lib/cidr.ts';
import type { Config } from '../platform/config.ts';
import { json } from '../platform/http/routes.ts';
import { createServer, type HttpServer } from '../platform/http/server.ts';
import { createUpstreams } from '../platform/http/upstream.ts';
import type { Log } from '../platform/log.ts';
import { createServerLink, type ServerLink } from '../provider/outpost/server-link.ts';
import { version } from './version.ts';

export interface OutpostProcess {
  /** Serves forward auth and the mode `proxy`; of other types only the health. */
  readonly server: HttpServer;
  readonly link: ServerLink;
  /** The type of the outpost, once the server has said it. */
  readonly type: Promise<string>;
  /** Another type that it has been given since. */
  readonly otherType: Promise<string>;
  /** The ports of an outpost of this type, as the settings name them. */
  listeners(type: string): readonly Listener[];
}

interface Options {
  /** The address of the server. */
  readonly server: string;
  readonly token: string;
}

type Settings = Pick<Config, 'trustedProxies' | 'outboundAllow' | 'ldap' | 'radius'>;

/** An outpost that runs as a process of its own: it holds no data but what the server has allowed lately. */
export function composeOutpost(config: Settings, log: Log, { server: address, token }: Options): OutpostProcess {
  const decisions = createKeptDecisions();
  const first = Promise.withResolvers<string>();
  const other = Promise.withResolvers<string>();
  let type: string | null = null;
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
    onType(named) {
      if (type === null) first.resolve(named);
      else other.resolve(named);
      type = named;
    },
  });
  const upstreams = createUpstreams(parseCidrs(config.outboundAllow));
  const hosts = outpostHosts({ link, decisions, upstreams });
  const server = createServer({
    log,
    trustedProxies: config.trustedProxies,
    hosted: { ...hosts, isForeign: (facts) => (type ?? 'proxy') === 'proxy' && hosts.isForeign(facts) },
  });
  server.routes.on(['GET'], '/-/health/live/', async () => json(200, { status: 'ok' }));
  server.routes.on(['GET'], '/-/health/ready/', async () => ({
    ...json(link.state === 'connected' && !server.isStopping ? 200 : 503, { status: link.state }),
    isLogged: true,
  }));
  return {
    ...{ server, link, type: first.promise, otherType: other.promise },
    listeners: (of) => listenersOf(of, config, link, log),
  };
}

function listenersOf(type: string, { ldap, radius }: Settings, link: ServerLink, log: Log): Listener[] {
  if (type === 'radius' && radius.port !== null)
    return [createRadiusListener(relayRequests(link), log, { host: radius.host, port: radius.port })];
  if (type !== 'ldap') return [];
  const connections = relayConnections(link);
  const ports = [
    { port: ldap.port, isTls: false },
    { port: ldap.tlsPort, isTls: true },
  ];
  return ports.flatMap(({ port, isTls }) =>
    port === null ? [] : [createLdapListener(connections, { host: ldap.host, port, isTls })],
  );
}
