import { type RawBuilder, sql } from 'kysely';
import type { Json } from '../lib/json.ts';
import { Invalid, Problem } from '../lib/problem.ts';
import type { Query } from '../platform/db/database.ts';
import { resolveTarget } from '../policy/target.ts';
import { isVisible } from '../resource/access/access.ts';
import { type Call, requireActor } from '../resource/call.ts';
import { isUuid } from '../resource/fields/scalar.ts';
import type { Engine, Resource } from '../resource/resource.ts';
import { flowModel, stageBindingModel } from './models.ts';

export interface ExplainInput {
  readonly call: Call;
  readonly engine: Engine;
  readonly tx: Query;
}

/** An object with bindings. */
export interface ExplainNode {
  /** The key that its bindings have. */
  readonly target: string;
  readonly model: string;
  readonly pk: string;
  readonly name: string;
  readonly mode: 'all' | 'any';
  /** A disabled object denies everyone, whatever its bindings. */
  readonly enabled: boolean;
  /** What expressions see as `obj`. */
  readonly facts: Json;
}

/** The object in the query; for a flow also its stages, in order. */
export async function explainedNodes(key: string, input: ExplainInput): Promise<ExplainNode[]> {
  const { call, engine, tx } = input;
  const { registry } = engine;
  if (!isUuid(key)) throw Invalid.field('target', 'Enter a valid UUID.');
  const target = await resolveTarget(key.toLowerCase(), registry, tx);
  const { rows } = await sql<{ model: string }>`select model from policy_targets where pk = ${target}`.execute(tx);
  const resource = registry.find(rows[0]?.model ?? '');
  const found = resource?.target
    ? await readNodes(resource, sql`${resource.row().col(resource.target)} = ${target}`, tx)
    : [];
  const [node] = found;
  if (!resource || !node || !(await isVisible(resource, node.pk, call, registry))) {
    throw Invalid.field('target', 'There is no such object.');
  }
  return node.model === flowModel ? [node, ...(await stagesOf(node, input))] : [node];
}

/** The bindings of a stage determine whether it is part of the flow. Their expressions can read the flow. */
async function stagesOf({ pk, facts }: ExplainNode, { call, engine, tx }: ExplainInput): Promise<ExplainNode[]> {
  const resource = engine.registry.require(stageBindingModel);
  const view = resource.permission('view');
  if (!requireActor(call).holds(view)) throw Problem.lacks(view);
  const row = resource.row();
  const ofFlow = sql`${row.col('target')} = ${pk} order by ${row.col('order')}, ${row.col('pk')}`;
  return (await readNodes(resource, ofFlow, tx)).map((node) => ({ ...node, facts }));
}

interface NodeRow {
  readonly pk: string;
  readonly target: string;
  readonly name: string | null;
  readonly slug: string | null;
  readonly group: string | null;
  readonly mode: 'all' | 'any';
  readonly enabled: unknown;
}

async function readNodes(resource: Resource, where: RawBuilder<unknown>, tx: Query): Promise<ExplainNode[]> {
  const { allFields, model, names } = resource;
  const row = resource.row();
  const column = (name: string) => (name in allFields ? row.col(name) : sql`null`);
  const stage = sql`(select s.name from stages s where s.pk = ${row.col('stage')})`;
  const { rows } = await sql<NodeRow>`select ${row.col('pk')} as pk, ${row.col(resource.target ?? 'pk')} as target,
      ${model === stageBindingModel ? stage : column('name')} as name, ${column('slug')} as slug,
      ${column('group')} as "group", coalesce(${column('policy_engine_mode')}, 'any') as mode,
      coalesce(${column('enabled')}, true) as enabled
    from ${resource.from()} where ${where}`.execute(tx);
  return rows.map(({ pk, target, name, slug, group, mode, enabled }) => {
    const facts = {
      pk,
      name,
      ...(slug !== null && { slug }),
      ...(group !== null && { group, meta_model_name: model }),
    };
    return { ...{ target, model, pk, mode, facts }, enabled: Boolean(enabled), name: name ?? names[0] };
  });
}
