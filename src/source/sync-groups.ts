import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { grantsSuperuser } from '../core/access/delegation.ts';
import { isSuperuserLeft } from '../core/access/last-superuser.ts';
import { groupResource } from '../core/directory/group.resource.ts';
import { asObject, isJsonObject, type JsonObject } from '../lib/json.ts';
import { Problem } from '../lib/problem.ts';
import type { Query } from '../platform/db/database.ts';
import { createRateLimit } from '../platform/limits/rate-limit.ts';
import type { Call } from '../resource/call.ts';
import { diffOf, recordWrite } from '../resource/write/audit.ts';
import { updateColumns } from '../resource/write/write.ts';
import { insertRow } from '../resource/write/write-row.ts';
import type { PlannedGroup } from './properties.ts';

export interface LiveSource {
  readonly pk: string;
  readonly slug: string;
  readonly name: string;
  readonly kind: string;
  readonly group_matching_mode: 'identifier' | 'name_link' | 'name_deny';
  /** The group that new groups are put under. */
  readonly sync_parent_group?: string | null;
}

interface KnownGroup {
  readonly pk: string;
  readonly name: string;
  readonly attributes: JsonObject;
}

/** A group that could not be joined, or not be renamed, and why. */
interface Conflict {
  readonly identifier: string;
  readonly words: string;
}

type SyncGroups = (
  groups: readonly PlannedGroup[],
  source: LiveSource,
  user: number,
  tx: Query,
  call: Call,
) => Promise<void>;

const dayMs = 24 * 60 * 60_000;
const maxConflictsNamed = 20;

/** Replaces the groups that a user has through a source with those that it returned. */
export function createSyncGroups(): SyncGroups {
  // Conflicts recur at each sign-in.
  const reports = createRateLimit({ max: 1, windowMs: dayMs });

  async function report(conflicts: readonly Conflict[], source: LiveSource, user: number, tx: Query, call: Call) {
    const unreported = conflicts.filter(
      ({ identifier }) => reports.waitAfter(`${source.pk} ${user} ${identifier}`) === 0,
    );
    if (unreported.length === 0) return;
    const words = unreported.slice(0, maxConflictsNamed).map((conflict) => conflict.words);
    await recordError(`Groups of a user from the source ${source.name}: ${words.join(' ')}`, source, user, tx, call);
  }

  return async (groups, source, user, tx, call) => {
    const known = await knownGroups(groups, source, tx, call);
    const joined = new Set<string>();
    const conflicts: Conflict[] = [];
    for (const group of groups) {
      const here = known.get(group.identifier);
      const outcome = here ? await updateGroup(here, group, tx, call) : await findOrCreate(group, source, tx, call);
      if (outcome.pk !== null) joined.add(outcome.pk);
      if (outcome.conflict) conflicts.push({ identifier: group.identifier, words: outcome.conflict });
    }
    await setMembership(joined, source, user, tx, call);
    await report(conflicts, source, user, tx, call);
  };
}

interface Outcome {
  readonly pk: string | null;
  readonly conflict?: string;
  readonly isNew?: boolean;
}

/** Connects one group of a source, or updates it if it is connected. */
export async function syncGroup(group: PlannedGroup, source: LiveSource, tx: Query, call: Call): Promise<Outcome> {
  const here = (await knownGroups([group], source, tx, call)).get(group.identifier);
  return here ? updateGroup(here, group, tx, call) : findOrCreate(group, source, tx, call);
}

/** The groups that are connected already, by their identifier at the source. */
async function knownGroups(
  groups: readonly PlannedGroup[],
  source: LiveSource,
  tx: Query,
  { db: { dialect } }: Call,
): Promise<ReadonlyMap<string, KnownGroup>> {
  const identifiers = groups.map(({ identifier }) => identifier);
  const { rows } = await sql<{ identifier: string; pk: string; name: string; attributes: string }>`
    select c.identifier, g.pk, g.name, g.attributes from group_source_connections c join groups g on g.pk = c."group"
    where c.source = ${source.pk} and ${dialect.isOneOf(sql`c.identifier`, identifiers, 'text')}`.execute(tx);
  return new Map(
    rows.map(({ identifier, pk, name, attributes }) => [identifier, { pk, name, attributes: JSON.parse(attributes) }]),
  );
}

/** Gives a connected group the name and attributes that mappings return now. Superuser groups stay as they are. */
async function updateGroup(
  { pk, name, attributes }: KnownGroup,
  { properties }: PlannedGroup,
  tx: Query,
  call: Call,
): Promise<Outcome> {
  const wanted = mappedName(properties) ?? name;
  const merged = isJsonObject(properties.attributes) ? { ...attributes, ...properties.attributes } : attributes;
  const isRenamed = wanted !== name;
  if (!isRenamed && isDeepStrictEqual(merged, attributes)) return { pk };
  if (await grantsSuperuser(tx, [pk])) return { pk };
  const isTaken = isRenamed && (await findByName(wanted, tx)) !== null;
  const before = { name, attributes };
  const after = { name: isTaken ? name : wanted, attributes: merged };
  const diff = diffOf(groupResource, before, after);
  if (Object.keys(diff).length > 0) {
    await updateColumns(groupResource, pk, after, call, tx);
    await recordWrite('model_updated', { resource: groupResource, pk, values: after, diff, call, tx });
  }
  return { pk, ...(isTaken && { conflict: `"${name}" keeps its name: another group is named "${wanted}".` }) };
}

/** Connects a group to one of its name, or to a new one. */
async function findOrCreate(
  { identifier, properties }: PlannedGroup,
  source: LiveSource,
  tx: Query,
  call: Call,
): Promise<Outcome> {
  const name = mappedName(properties) ?? identifier;
  const named = await findByName(name, tx);
  if (named !== null && source.group_matching_mode === 'name_deny') {
    throw new Problem('permission_denied', `The group ${name} exists already.`);
  }
  const obstacle = named === null ? null : await reasonNotToJoin(named, source, tx);
  if (obstacle) return { pk: null, conflict: `"${name}" is not joined: ${obstacle}.` };
  const pk = named ?? (await createGroup(name, properties, source, tx, call));
  await sql`insert into group_source_connections (kind, "group", source, identifier, created) values
    (${groupConnectionModel(source.kind)}, ${pk}, ${source.pk}, ${identifier}, ${call.now})`.execute(tx);
  return { pk, isNew: named === null };
}

/** A group name from a source never matches a superuser group, nor a group connected to another external one. */
async function reasonNotToJoin(
  group: string,
  { pk, group_matching_mode }: LiveSource,
  tx: Query,
): Promise<string | null> {
  if (group_matching_mode !== 'name_link') {
    return 'a group of this name exists already, and group_matching_mode of the source does not link groups by name';
  }
  if (await grantsSuperuser(tx, [group])) return 'a superuser group has this name';
  const { rows } = await sql`select 1 from group_source_connections where source = ${pk}
    and "group" = ${group}`.execute(tx);
  return rows.length > 0 ? 'the group of this name is connected to another group of the source' : null;
}

async function findByName(name: string, tx: Query): Promise<string | null> {
  const { rows } = await sql<{ pk: string }>`select pk from groups where name = ${name}`.execute(tx);
  return rows[0]?.pk ?? null;
}

const mappedName = ({ name }: PlannedGroup['properties']): string | null =>
  typeof name === 'string' && name !== '' ? name : null;

async function createGroup(
  name: string,
  properties: PlannedGroup['properties'],
  { sync_parent_group: parent = null }: LiveSource,
  tx: Query,
  call: Call,
): Promise<string> {
  const attributes = asObject(properties.attributes);
  const values = { name, is_superuser: false, parent, attributes, users: [], roles: [] };
  return insertRow(groupResource, values, call, tx);
}

async function setMembership(
  joined: ReadonlySet<string>,
  source: LiveSource,
  user: number,
  tx: Query,
  call: Call,
): Promise<void> {
  const { isOneOf } = call.db.dialect;
  const { rows } = await sql<{ group: string }>`select distinct m."group" from user_groups m
    join group_source_connections c on c."group" = m."group"
    where m."user" = ${user} and c.source = ${source.pk}`.execute(tx);
  const had = new Set(rows.map(({ group }) => group));
  const left = [...had.difference(joined)];
  await sql`delete from user_groups where "user" = ${user} and ${isOneOf(sql`"group"`, left, 'uuid')}`.execute(tx);
  await join(tx, user, [...joined.difference(had)], call);
  await keepSuperuser(left, source, user, tx, call);
}

async function join(tx: Query, user: number, groups: readonly string[], { db }: Call): Promise<void> {
  await sql`insert into user_groups ("user", "group") select cast(${user} as integer), pk from groups
    where ${db.dialect.isOneOf(sql`pk`, groups, 'uuid')} on conflict do nothing`.execute(tx);
}

/** Never removes the last superuser: no one could restore it. */
async function keepSuperuser(
  left: readonly string[],
  source: LiveSource,
  user: number,
  tx: Query,
  call: Call,
): Promise<void> {
  if (left.length === 0 || !(await grantsSuperuser(tx, left)) || (await isSuperuserLeft(tx, call))) return;
  for (const group of left) {
    if (await grantsSuperuser(tx, [group])) await join(tx, user, [group], call);
  }
  const message = `The source ${source.name} no longer names a group of the last active superuser, who stays in it.`;
  await recordError(message, source, user, tx, call);
}

async function recordError(message: string, { kind }: LiveSource, user: number, tx: Query, call: Call): Promise<void> {
  const [app = ''] = kind.split('.');
  await call.world.record(tx, call, { action: 'configuration_error', app, context: { message, user } });
}

/**
 * Each kind of source has its own kind of group connection: `svc_sources_oauth.oauthsource` and
 * `….groupoauthsourceconnection`.
 */
const groupConnectionModel = (sourceModel: string): string => {
  const [app = '', model = ''] = sourceModel.split('.');
  return `${app}.group${model}connection`;
};
