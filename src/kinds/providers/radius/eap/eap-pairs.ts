import { sql } from 'kysely';
import type { Query } from '../../../../platform/db/database.ts';
import { type SecretBox, sealContext } from '../../../../platform/keys.ts';
import type { ServedProvider } from '../served-providers.ts';
import { eapTypes } from './eap-packet.ts';

/** What TLS in EAP takes, in PEM. */
export interface EapPair {
  readonly certificate: string;
  readonly key: string;
  /** Who issues the certificates of clients; null where none are asked for. */
  readonly authority: string | null;
}

/** The types that a provider offers, the first by itself. */
export function methodsOf({
  certificate,
  client_ca,
}: Pick<ServedProvider, 'certificate' | 'client_ca'>): readonly number[] {
  if (certificate === null) return [];
  return client_ca === null ? [eapTypes.ttls] : [eapTypes.ttls, eapTypes.tls];
}

interface Row {
  readonly pk: string;
  readonly sealedKey: string;
  readonly certificate: string;
  readonly authority: string | null;
}

/** The pair that a provider shows, and its authority for devices; null if it is gone. */
export async function findTlsPair(query: Query, box: SecretBox, provider: number): Promise<EapPair | null> {
  const { rows } = await sql<Row>`select c.pk, c.key_data as "sealedKey", c.certificate_data as certificate,
    a.certificate_data as authority from provider_radius r join certificates c on c.pk = r.certificate
    left join certificates a on a.pk = r.client_ca where r.pk = ${provider} and c.key_data <> ''`.execute(query);
  const [row] = rows;
  if (!row) return null;
  const { pk, sealedKey, certificate, authority } = row;
  return { certificate, authority, key: box.open(sealedKey, sealContext('certificates', 'key_data', pk)) };
}

/** The pair that a provider shows for a type; null if it is gone. */
export async function findEapPair(
  query: Query,
  box: SecretBox,
  provider: number,
  method: number,
): Promise<EapPair | null> {
  const pair = await findTlsPair(query, box, provider);
  if (!pair || method !== eapTypes.tls) return pair && { ...pair, authority: null };
  return pair.authority === null ? null : pair;
}
