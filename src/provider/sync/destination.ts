import { hash } from 'node:crypto';
import { sql } from 'kysely';
import type { Query } from '../../platform/db/database.ts';
import type { Call } from '../../resource/call.ts';
import { recordRun } from './record-run.ts';
import type { Target } from './target.ts';

/** Two addresses of one target have the same digest. */
export const destinationDigest = (destination: string): string => hash('sha256', destination, 'base64');

async function storedDestination(query: Query, provider: number): Promise<string | null> {
  const { rows } = await sql<{ destination: string | null }>`select destination from sync_targets
    where provider = ${provider}`.execute(query);
  return rows[0]?.destination ?? null;
}

/** Stores which target the links of a provider belong to, unless that is stored already. */
export async function storeDestination(tx: Query, provider: number, destination: string): Promise<void> {
  await sql`insert into sync_targets (provider, destination) values (${provider}, ${destination})
    on conflict (provider) do update set destination = coalesce(sync_targets.destination, excluded.destination)`.execute(
    tx,
  );
}

type Destination = Pick<Target, 'pk' | 'destination' | 'kind'>;

/** Whether the links of a provider are to objects of the target it has now. Without a stored target they are. */
export async function isLinkedHere(query: Query, { pk, destination }: Destination): Promise<boolean> {
  return ((await storedDestination(query, pk)) ?? destination) === destination;
}

/**
 * Removes the links to objects of a former target: where ids are numbers, others have them at the new one. Nothing is
 * deleted there.
 */
export async function unlinkPreviousTarget({ db }: Call, target: Destination): Promise<void> {
  const { pk, destination } = target;
  if ((await storedDestination(db.read, pk)) === destination) return;
  await db.write((tx) => unlinkFormer(tx, target));
}

export async function unlinkFormer(tx: Query, target: Destination): Promise<void> {
  const { pk, destination, kind } = target;
  await storeDestination(tx, pk, destination);
  if (await isLinkedHere(tx, target)) return;
  const { rows } = await sql<{ links: number | string }>`select count(remote_id) as links from sync_objects
    where provider = ${pk}`.execute(tx);
  const links = Number(rows[0]?.links ?? 0);
  for (const { table } of Object.values(kind.links)) {
    await sql`delete from ${sql.table(table)} where provider = ${pk}`.execute(tx);
  }
  await sql`update sync_objects set remote_id = null, attributes = '{}', members = null, digest = null, is_sending = ${false},
    created = null, seen_in = null, error = '', attempts = 0 where provider = ${pk}`.execute(tx);
  await sql`update sync_targets set destination = ${destination} where provider = ${pk}`.execute(tx);
  if (links === 0) return;
  await recordRun(
    tx,
    pk,
    `The provider has another target: ${links} links to objects of the former one were removed. Users and groups are looked up there by name.`,
  );
}
