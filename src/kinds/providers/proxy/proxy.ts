import type { Config } from '../../../platform/config.ts';
import type { ProviderKind } from '../../../provider/provider-kind.ts';
import { proxyDemo } from './demo.ts';
import { proxyProvider } from './proxy.resource.ts';

interface Needs {
  readonly config: Pick<Config, 'publicUrl'>;
}

/** Forward auth and reverse proxy for applications that have no sign-in of their own. */
export const proxy = (needs: Needs): ProviderKind => ({
  resource: proxyProvider(needs, []),
  outpost: 'proxy',
  demo: proxyDemo,
});
