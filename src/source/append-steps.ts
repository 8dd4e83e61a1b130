import { sql } from 'kysely';
import { bringsSuperuser } from '../core/access/delegation.ts';
import { isSuperuserLeft } from '../core/access/last-superuser.ts';
import { groupResource } from '../core/directory/group.resource.ts';
import type { FlowState } from '../flow/executor/flow-state.ts';
import type { PlanStep } from '../flow/plan.ts';
import type { AppendStep } from '../flow/protocol-kind.ts';
import { asObject, type Json } from '../lib/json.ts';
import { Problem } from '../lib/problem.ts';
import type { Query } from '../platform/db/database.ts';
import { modelFacts } from '../resource/audit.ts';
import type { Call } from '../resource/call.ts';
import type { Registry } from '../resource/resource.ts';
import { insertRow } from '../resource/verbs/write-row.ts';
import { updateColumns } from '../resource/write.ts';
import type { PlannedGroup } from './properties.ts';
import { insertVisit, type VisitRow } from './visits.ts';

interface LiveSource {
  readonly pk: string;
  readonly slug: string;
  readonly name: string;
  readonly kind: string;
  readonly group_matching_mode: 'identifier' | 'name_link' | 'name_deny';
}

/** That an account elsewhere belongs to the user of the flow. */
type Connection = {
  readonly model: string;
  readonly identifier: string;
  /** Further columns of the connection, secrets in clear: the plan as a whole is sealed. */
  readonly values: Readonly<Record<string, Json>>;
};

/** What a source plans for the end of a flow: to store the connection, and to make the user's groups from it exactly these. */
export const sourceSteps = (kind: string, connection: Connection, groups: readonly PlannedGroup[]): PlanStep[] => [
  { kind, step: 'save_connection', content: connection },
  { kind, step: 'sync_groups', content: [...groups] },
];

/** What is planned for the flow before somebody leaves: that they went through it. */
export const passStep = (kind: string, visit: VisitRow): PlanStep => ({ kind, step: 'pass', content: visit });

/** Carries out what a source has planned. Throws `Problem` when what held at the beginning holds no more. */
export const appendSteps: AppendStep = async ({ step, content }, state, tx, call, registry) => {
  const source = await liveSource(tx, state);
  // The content is what `passStep` or `sourceSteps` put into the plan.
  if (step === 'pass') return insertVisit(tx, content as VisitRow, call.now);
  const user = await activeUser(tx, state);
  if (step === 'save_connection') return saveConnection(content as Connection, source, user, registry, tx, call);
  return syncGroups(content as PlannedGroup[], source, user, tx, call);
};

async function liveSource(tx: Query, { plan }: FlowState): Promise<LiveSource> {
  const { rows } = await sql<LiveSource>`select pk, slug, name, kind, group_matching_mode from sources
    where pk = ${plan.source?.pk ?? null} and enabled`.execute(tx);
  if (!rows[0]) throw new Problem('permission_denied', 'Access denied.');
  return rows[0];
}

async function activeUser(tx: Query, { context }: FlowState): Promise<number> {
  const { rows } = await sql<{ pk: number }>`select pk from users
    where pk = ${context.pending_user} and is_active`.execute(tx);
  if (!rows[0]) throw new Problem('permission_denied', 'Access denied.');
  return rows[0].pk;
}

/** An external account has one owner; a concurrent sign-in cannot take it over. */
async function saveConnection(
  { model, identifier, values }: Connection,
  source: LiveSource,
  user: number,
  registry: Registry,
  tx: Query,
  call: Call,
): Promise<void> {
  const connections = registry.require(model);
  const { rows } = await sql<{ pk: number; user: number; identifier: string }>`select pk, "user", identifier
    from user_source_connections where source = ${source.pk}
    and ("user" = ${user} or identifier = ${identifier})`.execute(tx);
  const same = rows.find((row) => row.user === user && row.identifier === identifier);
  if (same) {
    await updateColumns(connections, same.pk, values, call, tx);
    return;
  }
  if (rows.length > 0) {
    throw new Problem('permission_denied', `This account of ${source.name} cannot be linked to this user.`);
  }
  await insertRow(connections, { ...values, user, source: source.pk, identifier, created: call.now }, call, tx);
  const resource = registry.require(source.kind);
  const context = { message: 'Linked Source', source: modelFacts(resource, source.pk, { name: source.name }), user };
  await call.world.record(tx, call, { action: 'source_linked', app: resource.app, context });
}

/** Makes the groups that the user has through this source exactly these. */
async function syncGroups(
  groups: readonly PlannedGroup[],
  source: LiveSource,
  user: number,
  tx: Query,
  call: Call,
): Promise<void> {
  const joined = new Set<string>();
  for (const group of groups) {
    const here = await groupOf(group, source, tx, call);
    if (here !== null) joined.add(here);
  }
  const { rows } = await sql<{ group: string }>`select "group" from group_source_connections
    where source = ${source.pk}`.execute(tx);
  const left: string[] = [];
  for (const { group } of rows) {
    if (joined.has(group)) continue;
    const gone = await sql`delete from user_groups where "user" = ${user} and "group" = ${group}
      returning "group"`.execute(tx);
    if (gone.rows.length > 0) left.push(group);
  }
  for (const group of joined) {
    await sql`insert into user_groups ("user", "group") values (${user}, ${group}) on conflict do nothing`.execute(tx);
  }
  await keepSuperuser(left, source, user, tx, call);
}

/** The last superuser stays one, whatever the source says: refusing them would shut the last way in. */
async function keepSuperuser(
  left: readonly string[],
  source: LiveSource,
  user: number,
  tx: Query,
  call: Call,
): Promise<void> {
  if (left.length === 0 || !(await bringsSuperuser(tx, left)) || (await isSuperuserLeft(tx, call))) return;
  for (const group of left) {
    if (!(await bringsSuperuser(tx, [group]))) continue;
    await sql`insert into user_groups ("user", "group") values (${user}, ${group}) on conflict do nothing`.execute(tx);
  }
  const [app = ''] = source.kind.split('.');
  const message = `The source ${source.name} no longer names a group of the last active superuser, who stays in it.`;
  await call.world.record(tx, call, { action: 'configuration_error', app, context: { message, user } });
}

/** The group linked to one at the source; created if missing. Null when its name belongs to another group. */
async function groupOf(
  { identifier, properties }: PlannedGroup,
  source: LiveSource,
  tx: Query,
  call: Call,
): Promise<string | null> {
  const known = await sql<{ group: string }>`select "group" from group_source_connections
    where source = ${source.pk} and identifier = ${identifier}`.execute(tx);
  if (known.rows[0]) return known.rows[0].group;
  const name = typeof properties.name === 'string' && properties.name !== '' ? properties.name : identifier;
  const named = await sql<{ pk: string }>`select pk from groups where name = ${name}`.execute(tx);
  if (named.rows[0] && source.group_matching_mode === 'name_deny') {
    throw new Problem('permission_denied', `The group ${name} exists already.`);
  }
  if (named.rows[0] && !(await mayJoinByName(named.rows[0].pk, source, tx))) return null;
  const group = named.rows[0]?.pk ?? (await createGroup(name, properties, tx, call));
  await sql`insert into group_source_connections (kind, "group", source, identifier, created) values
    (${groupConnectionModel(source.kind)}, ${group}, ${source.pk}, ${identifier}, ${call.now})`.execute(tx);
  return group;
}

/** A group name from a source never matches a superuser group, nor a group linked to another external one. */
async function mayJoinByName(group: string, { pk, group_matching_mode }: LiveSource, tx: Query): Promise<boolean> {
  if (group_matching_mode !== 'name_link' || (await bringsSuperuser(tx, [group]))) return false;
  const { rows } = await sql`select 1 from group_source_connections where source = ${pk}
    and "group" = ${group}`.execute(tx);
  return rows.length === 0;
}

async function createGroup(
  name: string,
  properties: PlannedGroup['properties'],
  tx: Query,
  call: Call,
): Promise<string> {
  const attributes = asObject(properties.attributes);
  const values = { name, is_superuser: false, parent: null, attributes, users: [], roles: [] };
  return insertRow(groupResource, values, call, tx);
}

/** Each kind of source has its own kind of group connection: `svc_sources_oauth.oauthsource` and `….groupoauthsourceconnection`. */
const groupConnectionModel = (sourceModel: string): string => {
  const [app = '', model = ''] = sourceModel.split('.');
  return `${app}.group${model}connection`;
};
