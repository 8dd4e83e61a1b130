import { type FetchState, unreachable } from '../../../core/outpost/connection-kind.ts';
import { fetchVersion, type OpenFetch } from '../../../core/outpost/fetch-version.ts';
import { findCluster } from './cluster-address.ts';

/** Asks the API server of the cluster for its version. */
export const fetchClusterState =
  (open: OpenFetch): FetchState =>
  async (pk, call) => {
    const cluster = await findCluster(pk, call);
    if (!cluster) return unreachable;
    return fetchVersion(open, { ...cluster, url: `${cluster.base}version`, member: 'gitVersion' });
  };
