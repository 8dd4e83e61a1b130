import { isShown } from '../fields/field.ts';
import type { Registry, Resource } from '../resource.ts';
import { membersOf } from './plan.ts';

/** The resources with `nestedPrivacy` that a view nests, however deep. */
export function privatelyNested(resource: Resource, view: string, registry: Registry): Set<Resource> {
  const found = new Set<Resource>();
  for (const [, { storage }] of membersOf(resource, view)) {
    if (storage.in !== 'nested') continue;
    const target = registry.require(storage.nest.model);
    if (target.nestedPrivacy) found.add(target);
    for (const deeper of privatelyNested(target, storage.nest.view, registry)) found.add(deeper);
  }
  return found;
}

/** Whether a view shows secrets, its own or nested ones. */
export function showsSecrets(resource: Resource, view: string, registry: Registry, depth = 0): boolean {
  return membersOf(resource, view).some(([, field]) => {
    const { secret, storage } = field;
    if (storage.in !== 'nested') return Boolean(secret) && (depth > 0 || isShown(field));
    return showsSecrets(registry.require(storage.nest.model), storage.nest.view, registry, depth + 1);
  });
}
