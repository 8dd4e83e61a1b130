import { Problem } from '../../lib/problem.ts';
import type { Row } from '../fields/field.ts';
import type { AccessContext, Resource } from '../resource.ts';
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
  context: AccessContext,
): Promise<void> {
  const change = resource.permission('change');
  if (!(await holdsOn(actor, change, resource, pk, context.tx))) {
    const isSeen = await isVisible(resource, pk, context.call, context.registry);
    throw isSeen ? Problem.lacks(change) : new Problem('permission_denied', hiddenWhole);
  }
  await checkNotInUse(resource, pk, context);
}

/** Refuses unless the caller may also change or delete a row that they can see, and no user signs in through it. */
export async function checkMayWrite(
  resource: Resource,
  verb: 'change' | 'delete',
  current: Row,
  context: AccessContext,
): Promise<void> {
  await checkHoldsWrite(resource, verb, current, context);
  const actual = kindOf(current, context.registry) ?? resource;
  if (!actual.reaches) return;
  const pk = current[resource.keyName ?? 'pk'];
  if (typeof pk !== 'string' && typeof pk !== 'number') throw new Error(`${resource.model}: the row has no key`);
  await checkNotInUse(actual, pk, context);
}
