import { readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import type { PlatformAddress } from '../../../core/outpost/platform-api.ts';
import { sealContext } from '../../../platform/keys.ts';
import type { Call } from '../../../resource/call.ts';
import { type ClusterAccess, readKubeconfig } from './kubeconfig.ts';

interface ClusterRow {
  readonly local: boolean;
  readonly kubeconfig: string;
  readonly verify_ssl: boolean;
}

/** Where a cluster puts what its own workloads need to call its API server. */
const ownServer = 'https://kubernetes.default.svc';
const ownFolder = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The API server of a connection's cluster; null if it names none. */
export async function findCluster(connection: string, { db, world }: Call): Promise<PlatformAddress | null> {
  const { rows } = await sql<ClusterRow>`select b.local, t.kubeconfig, t.verify_ssl
    from connection_cluster t join service_connections b on b.pk = t.pk where t.pk = ${connection}`.execute(db.read);
  const row = rows[0];
  if (!row) return null;
  const context = sealContext('service_connections', 'kubeconfig', connection);
  const access = row.local ? await ownCluster() : readKubeconfig(JSON.parse(world.open(row.kubeconfig, context)));
  const base = access && URL.parse(access.server.replace(/\/?$/, '/'))?.href;
  if (!access || !base) return null;
  const tls = row.verify_ssl ? access.tls : { ...access.tls, rejectUnauthorized: false };
  return { base, headers: access.headers, over: { tls } };
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
