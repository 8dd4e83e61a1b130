import { sql } from 'kysely';
import { expired } from '../../../core/cleanup/cleanup.jobs.ts';
import type { SignedIn } from '../../../lib/saml/assertion.ts';
import { clockSkewMs } from '../../../lib/saml/header.ts';
import type { Query } from '../../../platform/db/database.ts';
import type { InstanceKey } from '../../../platform/keys.ts';
import { orderedUuid } from '../../../platform/random.ts';
import { SourceRefusal } from '../../../source/source-refusal.ts';

/** Replay protection: ids of assertions and requests are stored until they expire, shared by all instances. */
export const usedAssertions = expired('saml_source_assertions', 'used SAML assertions');

/** Throws when the assertion was used before. */
export async function useAssertion(
  tx: Query,
  key: InstanceKey,
  source: string,
  { assertionId, validUntil }: Pick<SignedIn, 'assertionId' | 'validUntil'>,
): Promise<void> {
  const isNew = await useOnce(tx, key.hash(`saml assertion ${assertionId}`), source, validUntil);
  if (!isNew) throw new SourceRefusal('Replay attack detected: this answer was used before.');
}

/** Throws when the request to sign out came before: it would end a later session of the same person. */
export async function useLogoutRequest(
  tx: Query,
  key: InstanceKey,
  source: string,
  { id, validUntil }: { readonly id: string; readonly validUntil: number },
): Promise<void> {
  const isNew = await useOnce(tx, key.hash(`saml logout request ${id}`), source, validUntil);
  if (!isNew) throw new SourceRefusal('This request to sign out was answered before.');
}

async function useOnce(tx: Query, hash: string, source: string, validUntil: number): Promise<boolean> {
  const expires = new Date(validUntil + clockSkewMs).toISOString();
  const { rows } = await sql`insert into saml_source_assertions (pk, source, assertion_hash, expires)
    values (${orderedUuid()}, ${source}, ${hash}, ${expires})
    on conflict do nothing returning pk`.execute(tx);
  return rows.length > 0;
}
