import type { Call } from '../call.ts';
import { isShown } from '../fields/field.ts';
import { isRef } from '../fields/ref.ts';
import type { Registry, Resource } from '../resource.ts';

/**
 * Whether a condition discloses no more of another object than the caller may view: the row shows it, or they may view
 * all of its kind.
 */
export function isOpenPath(resource: Resource, path: string, { actor }: Call, registry: Registry): boolean {
  const [first = '', second] = path.split('.');
  // People may know of their own rows what these are about.
  if (second === undefined || resource.visibility?.by === 'owner') return true;
  const isShownHere = Object.entries(resource.allFields).some(([name, field]) => {
    const { storage } = field;
    if (storage.in === 'nested') return (storage.nest.column ?? name) === first;
    return storage.in === 'query' && name === second && isShown(field);
  });
  if (isShownHere) return true;
  const field = resource.allFields[first];
  return field !== undefined && isRef(field) && actor?.holds(registry.require(field.model).permission('view')) === true;
}
