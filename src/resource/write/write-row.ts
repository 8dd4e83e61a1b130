import { type RawBuilder, sql } from 'kysely';
import type { Query } from '../../platform/db/database.ts';
import { firstRow } from '../../platform/db/first-row.ts';
import { randomUuid } from '../../platform/random.ts';
import { checkCreatesNothingImpersonated, checkMayAdd } from '../access/access.ts';
import { checkMayWrite } from '../access/may-write.ts';
import {
  checkUnprotected,
  disabledComplaints,
  fieldsNaming,
  namingSql,
  usesDisabledComplaints,
} from '../access/protected-references.ts';
import { keepUnseenSecrets, sentElsewhere } from '../access/sent-secrets.ts';
import { checkPutToUse, disableUnlessGiven, lockUses, shippedNameComplaint } from '../access/sign-in-use.ts';
import type { Call, Reply } from '../call.ts';
import { isMadeName } from '../fields/computed.ts';
import { defaultOf, isWritable, type Row } from '../fields/field.ts';
import { checkIfMatch } from '../read/etag.ts';
import { secretsOf } from '../read/plan.ts';
import { findVisible, parseKey, selectByKey, showRow } from '../read/read.ts';
import type { PkOf } from '../read/stored-row.ts';
import type { CheckInput, Engine, OperationContext, Resource } from '../resource.ts';
import { diffOf, recordWrite } from './audit.ts';
import { rememberCreated } from './created.ts';
import { parseBody, storedComplaints } from './parse.ts';
import { withKeys } from './slugs.ts';
import {
  checkReferenceRights,
  columnsOf,
  inWrite,
  throwComplaints,
  updateColumns,
  valuesByTable,
  writeJoins,
} from './write.ts';

export async function create(engine: Engine, resource: Resource, call: Call): Promise<Reply> {
  checkMayAdd(resource, call);
  const body = call.body();
  return inWrite(call, resource, async (tx) => {
    const context = { engine, resource, call, tx };
    await lockUses(resource, call, engine.registry, tx);
    const { pk, values } = await createRow(context, body);
    // The creator of an object sees its secrets once, in the response.
    const secrets = Object.fromEntries(secretsOf(resource).map(([name]) => [name, values[name]]));
    return { status: 201, body: { ...(await showByKey(context, pk)), ...secrets } };
  });
}

/** Validates, stores and records a new row. The caller has checked permissions. */
export async function createRow<R extends Row>(
  context: OperationContext<R>,
  body: unknown,
  { isCopy = false }: Pick<CheckInput, 'isCopy'> = {},
): Promise<{ pk: PkOf<R>; values: Row }> {
  const { resource, call, tx } = context;
  const { registry } = context.engine;
  const keyed = await withKeys(resource.allFields, body, tx, registry);
  const parsed = parseBody(resource.allFields, keyed, 'create', call);
  throwComplaints(
    parsed.complaints,
    await storedComplaints(resource, parsed, null, { db: tx, dialect: call.db.dialect, registry, actor: call.actor }),
  );
  const values: Row = { ...serverValues(resource, call), ...parsed.values };
  disableUnlessGiven(resource, values, parsed.given, call);
  checkCreatesNothingImpersonated(resource, values, call.actor);
  const erased: Resource = resource;
  const input = { tx, call, registry, values, given: parsed.given, current: null, isCopy };
  throwComplaints(
    (await erased.check?.(input)) ?? null,
    shippedNameComplaint(erased, values, null, call),
    await usesDisabledComplaints(erased, parsed.values, null, registry, tx),
  );
  if (call.actor) await checkReferenceRights(resource, parsed.values, null, { call, registry, tx });
  const pk = await insertRow(resource, values, call, tx);
  rememberCreated(call, erased, pk);
  await checkPutToUse(erased, pk, { call, registry, tx });
  await erased.afterWrite?.({ ...input, verb: 'create', pk });
  const named = await withName(context, pk, values);
  await recordWrite('model_created', { ...context, pk, values: named, diff: diffOf(resource, null, values) });
  return { pk, values };
}

/** The row just written, for its event. A made name is known to the database alone. */
async function withName(context: OperationContext, pk: string | number, values: Row): Promise<Row> {
  if (!Object.values(context.resource.allFields).some(isMadeName)) return values;
  const found = await selectByKey(context, pk);
  return found?.values ?? values;
}

/** Values that the server sets. */
function serverValues(resource: Resource, call: Call): Row {
  const values: Row = {};
  for (const [name, field] of Object.entries(resource.allFields)) {
    if (field.onWrite) values[name] = field.onWrite(call);
    else if (!isWritable(field) && field.storage.in === 'column' && field.default !== undefined) {
      values[name] = defaultOf(field, call);
    }
  }
  return values;
}

/** Inserts a row in all its tables. Also for server code that creates rows without a request. */
export async function insertRow<R extends Row>(
  resource: Resource<R>,
  values: Row,
  call: Call,
  tx: Query,
): Promise<PkOf<R>> {
  const { family, target } = resource;
  const given = typeof values.pk === 'string' ? values.pk : randomUuid();
  const key = resource.key === 'uuid' ? given : undefined;
  const first: Row = family ? { kind: resource.model } : {};
  if (target) {
    const targetKey = target === 'pk' ? given : randomUuid();
    await call.world.storeTarget(tx, targetKey, resource.model);
    if (target !== 'pk') first[target] = targetKey;
  }
  let pk: string | number | undefined = key;
  for (const [table, own] of valuesByTable(resource, values)) {
    const row: Row = {
      ...columnsOf(resource, pk, own, call),
      ...(table === resource.rootTable && first),
      ...(pk !== undefined && { pk }),
    };
    if (pk === undefined) pk = await insertWithoutKey(table, row, tx);
    else await insertSql(table, row).execute(tx);
  }
  if (pk === undefined) throw new Error(`${resource.model}: the row has no key`);
  await writeJoins(resource, pk, values, tx, true);
  // The column is the resource's key.
  return pk as PkOf<R>;
}

function insertSql(table: string, row: Row): RawBuilder<unknown> {
  const columns = Object.keys(row).map((name) => sql.ref(name));
  const values =
    columns.length > 0 ? sql`(${sql.join(columns)}) values (${sql.join(Object.values(row))})` : sql`default values`;
  return sql`insert into ${sql.table(table)} ${values}`;
}

/** Lets the database generate the key. */
async function insertWithoutKey(table: string, row: Row, tx: Query): Promise<string | number> {
  const { rows } = await sql<{ pk: string | number }>`${insertSql(table, row)} returning pk`.execute(tx);
  return firstRow(rows).pk;
}

export async function update(
  engine: Engine,
  resource: Resource,
  call: Call,
  mode: 'replace' | 'patch',
): Promise<Reply> {
  return inWrite(call, resource, async (tx) => {
    const context = { engine, resource, call, tx };
    await lockUses(resource, call, engine.registry, tx);
    const found = await findVisible(context, 'write');
    await checkMayWrite(resource, 'change', found.values, { call, registry: engine.registry, tx });
    await checkIfMatch(call, () => showByKey(context, found.pk));
    await updateRow(context, found.pk, found.values, call.body(), mode);
    return { status: 200, body: await showByKey(context, found.pk) };
  });
}

/** Validates, stores and records a change to a row. The caller has checked permissions. */
export async function updateRow(
  context: OperationContext,
  pk: string | number,
  current: Row,
  body: unknown,
  mode: 'replace' | 'patch',
): Promise<Row> {
  const { resource, call, tx } = context;
  const { registry } = context.engine;
  const keyed = await withKeys(resource.allFields, body, tx, registry);
  const parsed = parseBody(resource.allFields, keyed, mode, call);
  await keepUnseenSecrets(context, pk, parsed, keyed);
  throwComplaints(
    parsed.complaints,
    await storedComplaints(resource, parsed, pk, { db: tx, dialect: call.db.dialect, registry, actor: call.actor }),
    await sentElsewhere(context, pk, parsed, current),
  );
  const touched: Row = {};
  for (const [name, field] of Object.entries(resource.allFields)) {
    if (field.onWrite) touched[name] = field.onWrite(call);
  }
  const values: Row = { ...current, ...touched, ...parsed.values };
  const input = { tx, call, registry, values, given: parsed.given, current };
  throwComplaints(
    (await resource.check?.(input)) ?? null,
    shippedNameComplaint(resource, values, current, call),
    await usesDisabledComplaints(resource, parsed.values, current, registry, tx),
    await disabledComplaints(context, pk, current, values),
  );
  // A check may set values; store those too.
  const changed = Object.fromEntries(
    Object.entries(values).filter(([name, value]) => value !== current[name] || name in parsed.values),
  );
  if (call.actor) await checkReferenceRights(resource, changed, current, { call, registry, tx });
  await updateColumns(resource, pk, changed, call, tx);
  await writeJoins(resource, pk, changed, tx, false);
  await checkPutToUse(resource, pk, { call, registry, tx });
  await resource.afterWrite?.({ ...input, verb: 'update', pk });
  const named = await withName(context, pk, values);
  await recordWrite('model_updated', { ...context, pk, values: named, diff: diffOf(resource, current, changed) });
  return values;
}

export async function destroy(engine: Engine, resource: Resource, call: Call): Promise<Reply> {
  return inWrite(call, resource, async (tx) => {
    const context = { engine, resource, call, tx };
    const key = parseKey(resource, call.params[resource.param] ?? '');
    if (resource.beside?.holds(key)) {
      await resource.beside.destroy({ call, engine, tx, key });
      return { status: 204 };
    }
    await lockUses(resource, call, engine.registry, tx);
    const found = await findVisible(context, 'write');
    await checkMayWrite(resource, 'delete', found.values, { call, registry: engine.registry, tx });
    await checkIfMatch(call, () => showByKey(context, found.pk));
    await destroyRow(context, found.pk, found.values);
    return { status: 204 };
  });
}

export async function destroyRow(context: OperationContext, pk: string | number, current: Row): Promise<void> {
  const { resource, call, tx } = context;
  const { registry } = context.engine;
  const actual = (typeof current.kind === 'string' && registry.find(current.kind)) || resource;
  const own = { ...context, resource: actual };
  await deleteAlong(own, pk);
  await resource.afterWrite?.({ tx, call, registry, values: current, given: new Set(), current, verb: 'destroy', pk });
  // Last: who may not delete it need not learn what depends on it.
  await checkUnprotected(own, pk);
  await call.world.deleteGrantsOn(tx, actual.family ? [actual.model, actual.family.model] : [actual.model], pk);
  await sql`delete from ${sql.table(resource.rootTable)} where pk = ${pk}`.execute(tx);
  await recordWrite('model_deleted', { ...own, pk, values: current, diff: null });
}

/**
 * Dependent rows are deleted or unset under their own rules: deleting a bound group requires permission to change its
 * bindings.
 */
async function deleteAlong({ engine, resource, call, tx }: OperationContext, pk: string | number): Promise<void> {
  const { registry } = engine;
  for (const [other, name, field] of fieldsNaming(engine, resource)) {
    if (!field.outlives) continue;
    const { rows } = await namingSql(other, name, field, pk).execute(tx);
    for (const row of rows) {
      const current = (await engine.stored(other, call)(call, tx, row.pk)) ?? {};
      const input = { tx, call, registry, values: current, given: new Set<string>(), current };
      await other.afterWrite?.({ ...input, verb: 'destroy', pk: row.pk, isAlong: true });
    }
  }
}

/** The row as the caller sees it, right after a write. */
export async function showByKey(context: OperationContext, pk: string | number): Promise<Row> {
  const { engine, resource, call } = context;
  const found = await selectByKey(context, pk);
  if (!found) throw new Error(`${resource.model} ${pk} is gone right after it was written`);
  return showRow(engine, resource, call, found.raw);
}
