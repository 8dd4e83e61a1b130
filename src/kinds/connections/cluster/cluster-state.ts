import { readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { type FetchState, unreachable } from '../../../core/outpost/connection-kind.ts';
import { fetchVersion, type OpenFetch } from '../../../core/outpost/fetch-version.ts';
import { sealContext } from '../../../platform/keys.ts';
import { type ClusterAccess, readKubeconfig } from './kubeconfig.ts';

interface ClusterRow {
  readonly local: boolean;
  readonly kubeconfig: string;
  readonly verify_ssl: boolean;
}

/** Where a cluster puts what its own workloads need to call its API server. */
const ownServer = 'https://kubernetes.default.svc';
const ownFolder = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Asks the API server of the cluster for its version. */
export function fetchClusterState(open: OpenFetch): FetchState {
  return async (pk, { db, world }) => {
    const { rows } = await sql<ClusterRow>`select b.local, t.kubeconfig, t.verify_ssl
      from connection_cluster t join service_connections b on b.pk = t.pk where t.pk = ${pk}`.execute(db.read);
    const row = rows[0];
    if (!row) return unreachable;
    const access = row.local
      ? await ownCluster()
      : readKubeconfig(JSON.parse(world.open(row.kubeconfig, sealContext('service_connections', 'kubeconfig', pk))));
    const url = access && URL.parse('version', access.server.replace(/\/?$/, '/'));
    if (!access || !url) return unreachable;
    const tls = row.verify_ssl ? access.tls : { ...access.tls, rejectUnauthorized: false };
    return fetchVersion(open, { url: url.href, headers: access.headers, member: 'gitVersion', over: { tls } });
  };
}

async function ownCluster(): Promise<ClusterAccess | null> {
  try {
    const [ca, token] = await Promise.all([
      readFile(`${ownFolder}/ca.crt`, 'utf8'),
      readFile(`${ownFolder}/token`, 'utf8'),
    ]);
    return { server: ownServer, tls: { ca }, headers: { authorization: `Bearer ${token.trim()}` } };
  } catch {
    // This server does not run in a cluster, so there is no local one.
    return null;
  }
}
