import { sql } from 'kysely';
import { loadKeyPair } from '../../../core/key/key-pair.ts';
import type { PlatformAddress } from '../../../core/outpost/platform-api.ts';
import type { TlsOptions } from '../../../platform/fetch/guarded-connect.ts';
import type { Call } from '../../../resource/call.ts';

interface ContainerRow {
  readonly local: boolean;
  readonly url: string;
  readonly tls_verification: string | null;
  readonly tls_authentication: string | null;
}

const defaultSocket = '/var/run/docker.sock';
const socketScheme = 'unix://';

/** Where the engine of a connection listens: at a socket of this machine, or over TLS; null if neither. */
export async function findEngine(connection: string, call: Call): Promise<PlatformAddress | null> {
  const { rows } = await sql<ContainerRow>`select b.local, t.url, t.tls_verification, t.tls_authentication
    from connection_container t join service_connections b on b.pk = t.pk where t.pk = ${connection}`.execute(
    call.db.read,
  );
  const row = rows[0];
  if (!row) return null;
  const socketPath = socketOf(row);
  if (socketPath !== null) return { base: 'http://localhost/', over: { socketPath } };
  // As DOCKER_HOST spells it.
  const url = URL.parse('/', row.url.replace(/^tcp:/, 'https:'));
  if (url?.protocol !== 'https:') return null;
  return { base: url.href, over: { tls: await tlsOf(row, call) } };
}

/** The socket of this machine that a connection opens; null for one over TLS. */
export function socketOf({ local, url }: Pick<ContainerRow, 'local' | 'url'>): string | null {
  if (url.startsWith(`${socketScheme}/`)) return url.slice(socketScheme.length);
  return local ? defaultSocket : null;
}

async function tlsOf(row: ContainerRow, { db, world }: Call): Promise<TlsOptions> {
  const load = (pk: string | null) => (pk === null ? null : loadKeyPair(db.read, world, pk));
  const authority = await load(row.tls_verification);
  const own = await load(row.tls_authentication);
  return {
    // Without a certificate authority there is no validation, as the interface states.
    ...(authority ? { ca: authority.certificate } : { rejectUnauthorized: false }),
    ...(own?.key && { cert: own.certificate, key: own.key }),
  };
}
