import { sql } from 'kysely';
import { checkReadsDirectory } from '../../../core/access/directory-readers.ts';
import type { Query } from '../../../platform/db/database.ts';
import { proxyScope, scopeMappingName } from '../../../provider/install-defaults.ts';
import type { Call } from '../../../resource/call.ts';

/** The shipped mapping for proxies sends all attributes of users, such as their passwords for other applications. */
export async function checkMaySendAttributes(
  tx: Query,
  { actor }: Pick<Call, 'actor'>,
  mappings: readonly string[],
  before: readonly string[] = [],
): Promise<void> {
  const added = mappings.filter((pk) => !before.includes(pk));
  if (added.length === 0) return;
  const { rows } = await sql`select 1 from property_mappings
    where pk in (${sql.join(added)}) and managed = ${scopeMappingName(proxyScope)}`.execute(tx);
  if (rows.length > 0) checkReadsDirectory(actor);
}
