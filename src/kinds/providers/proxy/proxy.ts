import { expired } from '../../../core/cleanup/cleanup.jobs.ts';
import type { Config } from '../../../platform/config.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { InstanceKey } from '../../../platform/keys.ts';
import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';
import { decideOnTicket } from '../../../provider/authorize/decide.ts';
import { createDenials } from '../../../provider/authorize/denials.ts';
import type { ProviderKind } from '../../../provider/provider-kind.ts';
import { proxyDemo } from './demo.ts';
import { createPrograms } from './programs.ts';
import { proxyProvider } from './proxy.resource.ts';
import { proxyApp } from './proxy-model.ts';
import { createRecheck } from './recheck.ts';
import { proxyRoutes } from './routes.ts';
import { createOwnKey } from './token.ts';

interface Needs {
  readonly config: Pick<Config, 'publicUrl'>;
  readonly db: Database;
  readonly key: InstanceKey;
  readonly installId: string;
  readonly sandbox: Sandbox;
  readonly version: string;
}

/** Forward auth and reverse proxy for applications that have no sign-in of their own. */
export function proxy(needs: Needs): ProviderKind {
  const refusals = { denied: createDenials(needs.db, proxyApp) };
  const shared = { ...needs, refusals, publicUrl: needs.config.publicUrl, ownKey: createOwnKey(needs.key) };
  return {
    resource: proxyProvider(needs, []),
    outpost: 'proxy',
    routes(server) {
      const mount = { ...shared, ...server };
      return proxyRoutes({ ...mount, recheck: createRecheck(mount), programs: createPrograms(mount) });
    },
    append: decideOnTicket(needs.key),
    expiring: [expired('proxy_sessions', 'sessions of protected applications')],
    demo: proxyDemo,
  };
}
