import { sql } from 'kysely';
import type { Query } from '../../platform/db/database.ts';
import { sealContext } from '../../platform/keys.ts';
import type { ResourceWorld } from '../../resource/call.ts';

/** A certificate with its private key, as server code uses them. Both are PEM. */
export interface KeyPair {
  readonly name: string;
  readonly certificate: string;
  /** Null when only the certificate is stored. */
  readonly key: string | null;
}

export async function loadKeyPair(query: Query, { open }: ResourceWorld, pk: string): Promise<KeyPair | null> {
  const { rows } = await sql<{ name: string; certificate_data: string; key_data: string }>`
    select name, certificate_data, key_data from certificates where pk = ${pk}`.execute(query);
  const row = rows[0];
  if (!row) return null;
  const key = row.key_data === '' ? null : open(row.key_data, sealContext('certificates', 'key_data', pk));
  return { name: row.name, certificate: row.certificate_data, key };
}
