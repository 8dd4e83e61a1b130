import { sql } from 'kysely';
import { loadKeyPair } from '../../../core/key/key-pair.ts';
import { type FetchState, unreachable } from '../../../core/outpost/connection-kind.ts';
import { fetchVersion, type OpenFetch } from '../../../core/outpost/fetch-version.ts';
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

/** Asks the Docker API for its version: over a socket of this machine, or over TLS. */
export function fetchContainerState(open: OpenFetch): FetchState {
  return async (pk, call) => {
    const { rows } = await sql<ContainerRow>`select b.local, t.url, t.tls_verification, t.tls_authentication
      from connection_container t join service_connections b on b.pk = t.pk where t.pk = ${pk}`.execute(call.db.read);
    const row = rows[0];
    if (!row) return unreachable;
    const member = 'Version';
    const socketPath = socketOf(row);
    if (socketPath !== null)
      return fetchVersion(open, { url: 'http://localhost/version', member, over: { socketPath } });
    const url = URL.parse('/version', row.url);
    if (url?.protocol !== 'https:') return unreachable;
    return fetchVersion(open, { url: url.href, member, over: { tls: await tlsOf(row, call) } });
  };
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
