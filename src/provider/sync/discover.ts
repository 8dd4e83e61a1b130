import { sql } from 'kysely';
import { foldName } from '../../lib/fold-name.ts';
import type { Query } from '../../platform/db/database.ts';
import type { ObjectType } from './facts.ts';
import {
  isOfType,
  type LedgerRow,
  loadRows,
  newRow,
  type Result,
  storeLinks,
  storeResults,
  storeSending,
} from './ledger.ts';
import type { Batch } from './push-batch.ts';
import { stateOf } from './push-object.ts';
import { recordRun } from './record-run.ts';
import { type Candidate, isOfObject, RemoteMissing } from './remote.ts';
import { type ObjectKey, scopeByNames } from './scope.ts';

/**
 * Looks through all remote objects: links those that are known here by name and are not linked yet, and has objects
 * written again whose remote counterpart is gone.
 */
export async function discover(batch: Batch, type: ObjectType, run: string): Promise<void> {
  const { target, connection, call, signal } = batch;
  const pages = connection.remote([])[type].list();
  if (pages === null) return;
  let count = 0;
  for await (const page of pages) {
    if (signal.aborted) return;
    count += page.length;
    await linkPage(batch, type, page, run);
  }
  const lost = count === 0 ? await readSome(batch, type) : null;
  if (lost === 'none are linked') return;
  await call.db.write(async (tx) => {
    if (lost === 'are there') {
      await recordRun(
        tx,
        target.pk,
        `The target lists no ${type}s, although some are there: it is not noticed when others are missing.`,
      );
      return;
    }
    if (lost === 'are gone')
      await recordRun(tx, target.pk, `The target has lost its ${type}s: they are created again.`);
    await sql`update sync_objects set digest = null where provider = ${target.pk} and ${isOfType(type)}
      and remote_id is not null and (seen_in is null or seen_in <> ${run})`.execute(tx);
  });
}

const sampleSize = 5;

/** Fetches linked objects one by one: not every target can list them. */
async function readSome(
  { target, connection, call }: Batch,
  type: ObjectType,
): Promise<'none are linked' | 'are gone' | 'are there'> {
  const { rows } = await sql<{ id: string }>`select remote_id as id from sync_objects where provider = ${target.pk}
    and ${isOfType(type)} and remote_id is not null order by pk limit ${sampleSize}`.execute(call.db.read);
  if (rows.length === 0) return 'none are linked';
  for (const { id } of rows) {
    try {
      await connection.remote([])[type].read(id);
      return 'are there';
    } catch (error) {
      if (error instanceof RemoteMissing) continue;
      // It does not read single objects either.
      if (isOfObject(error)) return 'are there';
      throw error;
    }
  }
  return 'are gone';
}

async function linkPage(batch: Batch, type: ObjectType, page: readonly Candidate[], run: string): Promise<void> {
  if (page.length === 0) return;
  const { target, call } = batch;
  const { db } = call;
  const ids = page.map(({ id }) => id);
  const { rows } = await sql<{ id: string }>`select remote_id as id from sync_objects where provider = ${target.pk}
    and ${isOfType(type)} and remote_id in (${sql.join(ids)})`.execute(db.read);
  const linkedIds = new Set(rows.map(({ id }) => id));
  const open = page.filter(({ id }) => !linkedIds.has(id));
  const byName = await scopeByNames(db.read, target, type, [...new Set(open.flatMap(({ names }) => names))]);
  const matches = new Map<ObjectKey, Candidate>();
  for (const candidate of open) {
    const name = candidate.names.find((one) => byName.has(foldName(one)));
    const key = name === undefined ? undefined : byName.get(foldName(name));
    if (key !== undefined && !matches.has(key)) matches.set(key, candidate);
  }
  await db.write(async (tx) => {
    await link(batch, tx, type, matches);
    await sql`update sync_objects set seen_in = ${run} where provider = ${target.pk} and ${isOfType(type)}
      and remote_id in (${sql.join(ids)})`.execute(tx);
  });
}

async function link(
  { target, call }: Batch,
  tx: Query,
  type: ObjectType,
  matches: ReadonlyMap<ObjectKey, Candidate>,
): Promise<void> {
  const known = await loadRows(tx, target.pk, type, [...matches.keys()]);
  const linked = new Set(known.filter(({ remoteId }) => remoteId !== null).map(({ object }) => object));
  const rows = [...matches.keys()]
    .filter((key) => !linked.has(key))
    .map((key): LedgerRow => known.find(({ object }) => object === key) ?? newRow(key));
  const keys = await storeSending(tx, target.pk, type, rows);
  const results = rows.map((row): Result => {
    const candidate = matches.get(row.object);
    const pk = keys.get(row.object) ?? row.pk;
    const found = { remoteId: candidate?.id ?? null, attributes: candidate?.attributes ?? {} };
    // It may differ from the expected state, so it is written once.
    const state = { ...stateOf(row), ...found, digest: null, members: null, isSending: false };
    return { row: { ...row, pk }, ...state, requests: [], error: '', retryInMs: row.pending > 0 ? 0 : null };
  });
  await storeResults(call, tx, target.pk, type, results);
  await storeLinks(tx, target.pk, type, target.kind.links[type], results);
}
