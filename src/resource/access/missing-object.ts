import type { Complaint } from '../../lib/problem.ts';
import { missingObject, type RefField } from '../fields/ref.ts';
import type { Resource } from '../resource.ts';
import type { Actor } from './actor.ts';

/**
 * The complaint about a reference to an object that does not exist, or that the caller may not see: which of the two
 * does not show. Callers who created the object themselves learn which permission they lack.
 */
export function missingFor(
  actor: Actor | null,
  { needs }: Pick<RefField, 'needs'>,
  target: Resource,
  key: unknown,
): Complaint {
  const view = target.permission('view');
  const seesAll = actor === null || actor.isSuperuser || actor.holds(view);
  const hint = `If it exists, you may not see it: that takes the permission ${view}.`;
  return [missingObject(key), ...(needs === 'view' && !seesAll ? [hint] : [])];
}
