import { sql } from 'kysely';
import { inSentence, withArticle } from '../../lib/nouns.ts';
import { type Complaints, Problem } from '../../lib/problem.ts';
import type { Query } from '../../platform/db/database.ts';
import type { Call } from '../call.ts';
import { isWritable, type Row } from '../fields/field.ts';
import { isRef } from '../fields/ref.ts';
import type { AccessContext, Registry, Resource } from '../resource.ts';
import { hiddenAmong } from './access.ts';
import { findObstacles, type Obstacle } from './sign-in-obstacles.ts';

// The rules for writing what users sign in through, and the refusals that name what depends on it.

/** Whether rows can depend on one another at sign-in, or have such rows depend on them. */
const takesPart = ({ reaches, wholesOf: parts, allFields }: Resource, registry: Registry): boolean =>
  reaches !== undefined ||
  parts !== undefined ||
  Object.values(allFields).some((field) => isRef(field) && isWritable(field) && registry.find(field.model)?.reaches);

/**
 * Serializes writes that put objects to use with writes of objects that must not be in use, until the transaction ends.
 */
export async function lockUses(resource: Resource, call: Call, registry: Registry, tx: Query): Promise<void> {
  if (!call.actor || !takesPart(resource, registry)) return;
  const lock = call.db.dialect.exclusive('what users sign in through');
  if (lock) await lock.execute(tx);
}

/**
 * Refuses to change or delete an object that users sign in through, or that others use whom the caller may not change.
 */
export async function checkNotInUse(resource: Resource, pk: string | number, context: AccessContext): Promise<void> {
  const obstacle = (await findObstacles(resource, [pk], context)).get(pk);
  if (obstacle) throw await refusalFor(resource, obstacle, context);
}

/** What superusers leave out is enabled by default; what others leave out is not. */
export function disableUnlessGiven(
  { signsIn }: Resource,
  values: Row,
  given: ReadonlySet<string>,
  { actor }: Call,
): void {
  if (signsIn === 'while enabled' && actor && !actor.isSuperuser && !given.has('enabled')) values.enabled = false;
}

/** Ready-made flows find their parts by these names, even if administrators created them. */
export function shippedNameComplaint(
  { reaches }: Resource,
  values: Row,
  current: Row | null,
  { actor }: Call,
): Complaints | null {
  if (!reaches || !actor || actor.isSuperuser) return null;
  for (const member of ['name', 'slug']) {
    const value = values[member];
    if (typeof value === 'string' && value.startsWith('default-') && value !== current?.[member])
      return { [member]: ['Names that begin with “default-” are for what Gatehouse ships. Choose another.'] };
  }
  return null;
}

/** Refuses a write that has put an object to use where the caller may not. */
export async function checkPutToUse(resource: Resource, pk: string | number, context: AccessContext): Promise<void> {
  const obstacle = (await findObstacles(resource, [pk], context)).get(pk);
  if (!obstacle) return;
  if (obstacle.way === 'itself')
    throw new Problem(
      'permission_denied',
      `Users sign in through ${withArticle(inSentence(resource.names[0]))} that is enabled: only superusers may enable one. Leave out “enabled”, or send false.`,
    );
  throw await refusalFor(resource, obstacle, context);
}

async function refusalFor(resource: Resource, obstacle: Obstacle, context: AccessContext): Promise<Problem> {
  const { detail, required } = await explain(resource, obstacle, context);
  return new Problem('permission_denied', detail, {}, required);
}

/** Says what keeps the caller from writing the object, naming only what they may see. */
export async function explain(
  resource: Resource,
  { way, resource: by, pk, required, member }: Obstacle,
  { call, registry, tx }: AccessContext,
): Promise<{ readonly detail: string; readonly required?: string }> {
  const own = inSentence(resource.names[0]);
  if (way === 'itself')
    return { detail: `Users sign in through this ${own}. Only superusers may change or delete it.` };
  const [hidden] = await hiddenAmong(by, [pk], { call, registry, tx });
  const isUsed = `This ${own} is ${way === 'bound' ? 'bound to' : 'used by'}`;
  if (hidden !== undefined && by.signsIn)
    return { detail: `This ${own} is in use where users sign in. Only superusers may change it.` };
  if (hidden !== undefined)
    return {
      detail: `${isUsed} an object that you may not see. Only those who may change that object may change this one.`,
    };
  const name = `the ${inSentence(by.names[0])} ${await nameOf(by, pk, tx)}`;
  if (required !== null)
    return { detail: `${isUsed} ${name}. Changing it also takes the permission ${required} on that.`, required };
  if (member !== undefined)
    return { detail: `${isUsed} ${name} as ${member}, which only superusers choose. Only they may change it.` };
  if (by.signsIn) return { detail: `${isUsed} ${name}, through which users sign in. Only superusers may change it.` };
  return { detail: `${isUsed} ${name}, which only superusers may change.` };
}

/** What administrators know the object by: its slug, or its name. */
async function nameOf(resource: Resource, pk: string | number, query: Query): Promise<string> {
  const { lookup, allFields, order } = resource;
  const ordered = order[0]?.replace('-', '') ?? 'pk';
  const named = allFields.name ? 'name' : ordered;
  const column = lookup === 'pk' ? named : lookup;
  const row = resource.row();
  const { rows } = await sql<{ name: unknown }>`select ${row.col(column)} as name from ${resource.from()}
    where ${row.col('pk')} = ${pk}`.execute(query);
  return String(rows[0]?.name ?? pk);
}
