import type { ConnectionKind } from '../../../core/outpost/connection-kind.ts';
import { openFetchWithin } from '../../../core/outpost/fetch-version.ts';
import type { Config } from '../../../platform/config.ts';
import { clusterConnection } from './cluster.resource.ts';
import { clusterPlatform } from './cluster-platform.ts';
import { fetchClusterState } from './cluster-state.ts';

export const cluster = ({ config }: { readonly config: Pick<Config, 'outboundAllow'> }): ConnectionKind => ({
  resource: clusterConnection,
  askState: fetchClusterState(openFetchWithin(config.outboundAllow)),
  platform: clusterPlatform(openFetchWithin(config.outboundAllow)),
  async demo({ api }) {
    await api.ensure('/outposts/service_connections/cluster/', { name: 'Demo cluster' }, { kubeconfig: demoConfig });
  },
});

const demoConfig = {
  'current-context': 'demo',
  contexts: [{ name: 'demo', context: { cluster: 'demo', user: 'demo' } }],
  clusters: [{ name: 'demo', cluster: { server: 'https://cluster.example.com' } }],
  users: [{ name: 'demo', user: { token: 'demo' } }],
};
