import { expired } from '../../../core/cleanup/cleanup.jobs.ts';
import type { RouteServer } from '../../../flow/protocol-kind.ts';
import { parseCidrs } from '../../../lib/cidr.ts';
import { memoizeWeakly } from '../../../lib/memoize.ts';
import type { Config } from '../../../platform/config.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { GuardedFetch } from '../../../platform/fetch/guarded-fetch.ts';
import { createRemoteKeys } from '../../../platform/fetch/remote-keys.ts';
import { createUpstreams } from '../../../platform/http/upstream.ts';
import type { InstanceKey } from '../../../platform/keys.ts';
import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';
import { decideOnTicket } from '../../../provider/authorize/decide.ts';
import { createDenials } from '../../../provider/authorize/denials.ts';
import type { ProviderKind } from '../../../provider/provider-kind.ts';
import { proxyDemo } from './demo.ts';
import { proxiedHosts } from './hosted.ts';
import type { ProxyNeeds } from './needs.ts';
import { createPrograms } from './programs.ts';
import { proxyOutpostConfig, proxyProvider } from './proxy.resource.ts';
import { proxyApp } from './proxy-model.ts';
import { createTestLookups } from './proxy-test.ts';
import { createRecheck } from './recheck.ts';
import { proxyRelay } from './relay.ts';
import { proxyRoutes } from './routes.ts';
import { servedHosts } from './served-hosts.ts';
import { createOwnKey } from './token.ts';

interface ProxyProviderNeeds {
  readonly config: Pick<Config, 'publicUrl' | 'outboundAllow'>;
  readonly db: Database;
  readonly key: InstanceKey;
  readonly installId: string;
  readonly sandbox: Sandbox;
  readonly fetch: GuardedFetch;
  readonly version: string;
}

/** Forward auth and reverse proxy for applications that have no sign-in of their own. */
export function proxy(needs: ProxyProviderNeeds): ProviderKind {
  const refusals = { denied: createDenials(needs.db, proxyApp) };
  const shared = { ...needs, refusals, publicUrl: needs.config.publicUrl, ownKey: createOwnKey(needs.key) };
  const remoteKeys = createRemoteKeys(needs.fetch);
  const upstreams = createUpstreams(parseCidrs(needs.config.outboundAllow));
  const mountOf = memoizeWeakly((server: RouteServer): ProxyNeeds => {
    const mount = { ...shared, ...server };
    return {
      ...mount,
      recheck: createRecheck(mount),
      programs: createPrograms({ ...mount, remoteKeys }),
      testLookups: createTestLookups(needs.db),
      outpost: null,
    };
  });
  return {
    resource: proxyProvider(needs),
    resources: [proxyOutpostConfig(needs)],
    outpost: 'proxy',
    servedHosts,
    relay: (server) => proxyRelay(mountOf(server)),
    routes: (server) => proxyRoutes(mountOf(server)),
    hosted: (server) => proxiedHosts(mountOf(server), upstreams),
    append: decideOnTicket(needs.key),
    uncachedTables: ['proxy_workload_accounts'],
    expiring: [
      expired('proxy_sessions', 'sessions of protected applications'),
      expired('proxy_tests', 'tests of reverse proxies'),
    ],
    demo: proxyDemo,
  };
}
