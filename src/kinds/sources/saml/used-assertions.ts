import { sql } from 'kysely';
import { expired } from '../../../core/cleanup/cleanup.jobs.ts';
import type { SignedIn } from '../../../lib/saml/assertion.ts';
import { clockSkewMs } from '../../../lib/saml/header.ts';
import type { Query } from '../../../platform/db/database.ts';
import type { InstanceKey } from '../../../platform/keys.ts';
import { orderedUuid } from '../../../platform/random.ts';
import { SourceRefusal } from '../../../source/source-refusal.ts';

/** Assertions are remembered until they are refused anyway, so that each is good once, on whichever instance. */
export const usedAssertions = expired('saml_source_assertions', 'used SAML assertions');

/** Throws when the assertion was used before. */
export async function useAssertion(
  tx: Query,
  key: InstanceKey,
  source: string,
  { assertionId, validUntil }: Pick<SignedIn, 'assertionId' | 'validUntil'>,
): Promise<void> {
  const expires = new Date(validUntil + clockSkewMs).toISOString();
  const { rows } = await sql`insert into saml_source_assertions (pk, source, assertion_hash, expires)
    values (${orderedUuid()}, ${source}, ${key.hash(`saml assertion ${assertionId}`)}, ${expires})
    on conflict do nothing returning pk`.execute(tx);
  if (rows.length === 0) throw new SourceRefusal('Replay attack detected: this answer was used before.');
}
