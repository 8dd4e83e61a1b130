import { Problem } from '../../lib/problem.ts';
import type { Query } from '../../platform/db/database.ts';
import type { Call } from '../call.ts';
import type { Registry, Resource } from '../resource.ts';
import { checkHoldsWrite, holdsOn, isVisible, kindOf } from './access.ts';
import type { Actor } from './actor.ts';
import { checkNotInUse } from './sign-in-use.ts';

const hiddenWhole =
  'This belongs to an object that you may not see. It takes permissions to view and to change that object.';

/** Refuses callers who may not change an object, by permission or because users sign in through it. */
export async function checkMayChange(
  actor: Actor,
  resource: Resource,
  pk: string | number,
  call: Call,
  registry: Registry,
  db: Query,
): Promise<void> {
  const change = resource.permission('change');
  if (!(await holdsOn(actor, change, resource, pk, db))) {
    const isSeen = await isVisible(resource, pk, call, registry);
    throw isSeen ? Problem.lacks(change) : new Problem('permission_denied', hiddenWhole);
  }
  await checkNotInUse(resource, pk, call, registry, db);
}

/** Refuses unless the caller may also change or delete a row that they can see, and no user signs in through it. */
export async function checkMayWrite(...input: Parameters<typeof checkHoldsWrite>): Promise<void> {
  await checkHoldsWrite(...input);
  const [resource, , current, call, registry, db] = input;
  const actual = kindOf(current, registry) ?? resource;
  if (!actual.reaches) return;
  const pk = current[resource.keyName ?? 'pk'];
  if (typeof pk !== 'string' && typeof pk !== 'number') throw new Error(`${resource.model}: the row has no key`);
  await checkNotInUse(actual, pk, call, registry, db);
}
