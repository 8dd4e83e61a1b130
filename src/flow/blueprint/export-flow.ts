import { type RawBuilder, sql } from 'kysely';
import { Problem } from '../../lib/problem.ts';
import { visibleOrNone, visibleRows } from '../../resource/access/access.ts';
import type { Call } from '../../resource/call.ts';
import { isWritable, type Row } from '../../resource/fields/field.ts';
import { isRef, type RefField } from '../../resource/fields/ref.ts';
import { selectOne } from '../../resource/read/read.ts';
import type { Engine, Resource } from '../../resource/resource.ts';
import { flowModel, stageBindingModel } from '../models.ts';
import { type FlowParts, flowParts, identifyingMembers, policyBindingModel } from './flow-parts.ts';
import { type BlueprintEntry, Find, KeyOf, writeBlueprint } from './format.ts';

/** Exports a flow as a file: with its stages, their prompts, all policies and all bindings, but no secrets. */
export async function exportFlow(engine: Engine, call: Call, flow: { pk: string; slug: string }): Promise<string> {
  return writeBlueprint(flow.slug, await createExport(engine, call).entriesOf(flow.pk));
}

function createExport(engine: Engine, call: Call) {
  const { registry } = engine;
  const parts = flowParts(registry);
  const entries = new Map<string, BlueprintEntry>();
  const underWay = new Set<string>();

  async function entriesOf(flow: string): Promise<BlueprintEntry[]> {
    await add(registry.require(flowModel), flow);
    const bindings = await keys(
      sql<{ pk: string }>`select pk from flow_stage_bindings where target = ${flow} order by "order", pk`,
    );
    for (const binding of bindings) await add(registry.require(stageBindingModel), binding);
    const policyBindings = await keys(sql<{ pk: string }>`select pk from policy_bindings where target in (
      select policybindingmodel_ptr_id from flows where pk = ${flow}
      union all select policybindingmodel_ptr_id from flow_stage_bindings where target = ${flow}) order by "order", pk`);
    for (const binding of policyBindings) await add(registry.require(policyBindingModel), binding);
    return [...entries.values()];
  }

  async function keys(query: RawBuilder<{ pk: string }>): Promise<string[]> {
    const { rows } = await query.execute(call.db.read);
    return rows.map(({ pk }) => pk);
  }

  /** Adds an object after everything that it refers to. */
  async function add(resource: Resource, pk: string): Promise<void> {
    if (entries.has(pk) || underWay.has(pk)) return;
    underWay.add(pk);
    const values = await load(resource, pk);
    const exported: Row = {};
    for (const [name, field] of Object.entries(resource.allFields)) {
      const isExported = isWritable(field) && !field.secret && values[name] !== undefined;
      if (isExported && !isRef(field) && field.kind !== 'target') exported[name] = values[name];
      // A target is a reference too.
      else if (isExported) exported[name] = await referenced(field as RefField, values[name]);
    }
    const identifying = identifyingMembers(resource) ?? [];
    const isTelling = ([name]: [string, unknown]) => identifying.includes(name);
    const members = Object.entries(exported);
    entries.set(pk, {
      model: resource.model,
      id: pk,
      identifiers: Object.fromEntries(members.filter(isTelling)),
      attrs: Object.fromEntries(members.filter((member) => !isTelling(member))),
    });
  }

  /** An export contains only objects that the caller may view. */
  async function load(resource: Resource, pk: string): Promise<Row> {
    const visible = await visibleRows(resource, call, registry);
    const conditions = [sql`${resource.row().col('pk')} = ${pk}`, ...(visible ? [visible] : [])];
    const found = await selectOne({ engine, resource, call, tx: call.db.read }, conditions);
    if (!found) throw new Problem('permission_denied', 'The flow has parts that you may not view.');
    return found.values;
  }

  async function referenced(field: RefField, value: unknown): Promise<unknown> {
    if (Array.isArray(value)) return Promise.all(value.map((key) => referenced(field, key)));
    if (value === null) return null;
    const key = String(value);
    if (!entries.has(key) && parts.isPart(field)) await add(await kindOf(field, key, parts), key);
    return entries.has(key) ? new KeyOf(key) : elsewhere(field, typeof value === 'number' ? value : key);
  }

  /** The base row of a stage or policy contains its kind. */
  async function kindOf({ model }: RefField, pk: string, { find }: FlowParts): Promise<Resource> {
    const own = find(model);
    if (own) return own;
    const { table } = registry.require(model);
    const { rows } = await sql<{ kind: string }>`select kind from ${sql.table(table)} where pk = ${pk}`.execute(
      call.db.read,
    );
    const kind = find(rows[0]?.kind ?? '');
    if (!kind) throw new Problem('bad_request', 'The flow has parts of a kind that this server does not know.');
    return kind;
  }

  /** Objects that the flow only refers to are exported by name, if the caller may view them. */
  async function elsewhere({ model }: RefField, key: string | number): Promise<unknown> {
    const resource = registry.require(model);
    const [member] = identifyingMembers(resource) ?? [];
    if (member === undefined) return key;
    const visible = await visibleOrNone(resource, call, registry);
    if (visible === 'none') return key;
    const row = resource.row();
    const { rows } = await sql<{ value: unknown }>`select ${row.col(member)} as value from ${resource.from()}
      where ${row.col('pk')} = ${key} and ${visible ?? sql`1 = 1`}`.execute(call.db.read);
    return rows[0] ? new Find(model, member, rows[0].value) : key;
  }

  return { entriesOf };
}
