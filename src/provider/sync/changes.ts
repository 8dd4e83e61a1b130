import { sql } from 'kysely';
import { membersSql } from '../../core/access/rights-sql.ts';
import type { JobServer } from '../../core/kind/kind.ts';
import { chunksOf } from '../../lib/chunks.ts';
import type { Query } from '../../platform/db/database.ts';
import type { ObjectType } from './facts.ts';
import { loadRows, markDue } from './ledger.ts';
import { queueProvider } from './run.ts';
import { keysInScope, type ObjectKey } from './scope.ts';
import { activeProviders, loadTarget, type SyncKind, type Target } from './target.ts';

const batchSize = 5_000;
const chunkSize = 500;

interface Change {
  readonly pk: number;
  readonly user: number | null;
  readonly group: string | null;
}

/** Whether the representation of a user may depend on their groups. */
const readsGroups = ({ mappings }: Target): boolean =>
  mappings.user.some(({ expression }) => /group/i.test(expression));

/** Moves changes from the outbox to the ledgers of the providers they concern, in one transaction. */
export async function fanOut(server: JobServer, kinds: readonly SyncKind[]): Promise<void> {
  const { db } = server;
  const call = server.systemCall();
  const { rows } =
    await sql<Change>`select pk, "user", "group" from sync_changes order by pk limit ${batchSize}`.execute(db.read);
  const users = new Set(rows.flatMap(({ user }) => user ?? []));
  const groups = new Set(rows.flatMap(({ group }) => group ?? []));
  // A change of members contains the member, too.
  const changedGroups = new Set(rows.flatMap(({ user, group }) => (user === null && group !== null ? group : [])));
  const targets: Target[] = [];
  for (const { pk, kind: model } of await activeProviders(db.read, kinds)) {
    const kind = kinds.find((one) => one.model === model);
    const target = kind && (await loadTarget(server.engine(), call, kind, pk));
    if (target) targets.push(target);
  }
  await db.write(async (tx) => {
    for (const target of targets) {
      const marked =
        (await markType(tx, target, 'user', [...users])) + (await markType(tx, target, 'group', [...groups]));
      if (readsGroups(target)) await markMembers(tx, target, [...changedGroups]);
      if (marked > 0) await queueProvider(server.jobs(), tx, target.pk);
    }
    for (const chunk of chunksOf(rows, chunkSize)) {
      await sql`delete from sync_changes where pk in (${sql.join(chunk.map(({ pk }) => pk))})`.execute(tx);
    }
  });

  /** Users who were sent before and are in one of the groups or a descendant. */
  async function markMembers(tx: Query, target: Target, keys: readonly string[]): Promise<void> {
    for (const chunk of chunksOf(keys, chunkSize)) {
      await sql`update sync_objects set pending = pending + 1, due = ${db.dialect.moment(call.now)}, attempts = 0
        where provider = ${target.pk} and "user" in (${membersSql(chunk)})`.execute(tx);
    }
  }

  /** Objects in scope, and those that were sent before. */
  async function markType(tx: Query, target: Target, type: ObjectType, keys: readonly ObjectKey[]): Promise<number> {
    let marked = 0;
    for (const chunk of chunksOf(keys, chunkSize)) {
      const known = (await loadRows(tx, target.pk, type, chunk)).map(({ object }) => object);
      const concerned = [...new Set([...(await keysInScope(tx, target, type, chunk)), ...known])];
      await markDue(call, tx, target.pk, type, concerned);
      marked += concerned.length;
    }
    return marked;
  }
}
