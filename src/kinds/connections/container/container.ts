import type { ConnectionKind } from '../../../core/outpost/connection-kind.ts';
import { openFetchWithin } from '../../../core/outpost/fetch-version.ts';
import type { Config } from '../../../platform/config.ts';
import { containerConnection } from './container.resource.ts';
import { containerPlatform } from './container-platform.ts';
import { fetchContainerState } from './container-state.ts';

export const container = ({ config }: { readonly config: Pick<Config, 'outboundAllow'> }): ConnectionKind => ({
  resource: containerConnection,
  askState: fetchContainerState(openFetchWithin(config.outboundAllow)),
  platform: containerPlatform(openFetchWithin(config.outboundAllow)),
  async demo({ api }) {
    const values = { url: 'http://containers.example.com:2375' };
    await api.ensure('/outposts/service_connections/container/', { name: 'Demo containers' }, values);
  },
});
