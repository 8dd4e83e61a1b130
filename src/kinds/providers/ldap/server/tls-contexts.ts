import { createSecureContext, type SecureContext } from 'node:tls';
import { sql } from 'kysely';
import { createLruCache } from '../../../../lib/lru-cache.ts';
import type { Query } from '../../../../platform/db/database.ts';
import { type SecretBox, sealContext } from '../../../../platform/keys.ts';
import { ownPair } from '../../../../provider/install-defaults.ts';
import { isServedSql } from '../../../../provider/outpost/served-here.ts';

export interface TlsContexts {
  /** For a server name that a client asks for; null: for clients that name none. Among the providers of an outpost. */
  find(query: Query, serverName: string | null, outpost: string | null): Promise<SecureContext>;
}

interface PairRow {
  readonly pk: string;
  readonly certificate: string;
  readonly sealedKey: string;
  readonly serverName: string;
}

const maxContexts = 200;

/**
 * The certificate of the provider with this server name; else the only one that providers have; else the pair that the
 * server was set up with.
 */
export function createTlsContexts(box: SecretBox): TlsContexts {
  const known = createLruCache<{ readonly sealedKey: string; readonly context: SecureContext }>(maxContexts);
  function contextOf({ pk, certificate, sealedKey }: PairRow): SecureContext {
    const last = known.get(pk);
    // A changed key pair is sealed again.
    if (last?.sealedKey === sealedKey) return last.context;
    const key = box.open(sealedKey, sealContext('certificates', 'key_data', pk));
    const context = createSecureContext({ cert: certificate, key, minVersion: 'TLSv1.2' });
    known.set(pk, { sealedKey, context });
    return context;
  }
  return {
    async find(query, serverName, outpost) {
      const { rows } = await sql<PairRow>`select c.pk, c.certificate_data as certificate, c.key_data as "sealedKey",
        l.tls_server_name as "serverName" from provider_ldap l join certificates c on c.pk = l.certificate
        where c.key_data <> '' and ${isServedSql(sql`l.pk`, outpost)} order by l.pk`.execute(query);
      const named = rows.find((row) => row.serverName.toLowerCase() === serverName?.toLowerCase());
      const isOnly = new Set(rows.map(({ pk }) => pk)).size === 1;
      const pair = named ?? (isOnly ? rows[0] : undefined) ?? (await installedPair(query));
      if (!pair) throw new Error('there is no certificate for LDAP over TLS');
      return contextOf(pair);
    },
  };
}

async function installedPair(query: Query): Promise<PairRow | undefined> {
  const { rows } =
    await sql<PairRow>`select pk, certificate_data as certificate, key_data as "sealedKey", '' as "serverName"
    from certificates where managed = ${ownPair} and key_data <> ''`.execute(query);
  return rows[0];
}
