import type { Query } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/statement.ts';
import { isAlwaysInUse } from '../../resource/access/access.ts';
import type { Actor } from '../../resource/access/actor.ts';
import type { Registry, Resource } from '../../resource/resource.ts';
import { objectPermissionsSql } from '../access/rights-sql.ts';

/** How many of the objects a right covers. */
export const extents = ['all', 'some', 'none'] as const;
export type Extent = (typeof extents)[number];

export interface Rights {
  readonly view: Extent;
  readonly add: Extent;
  readonly change: Extent;
  readonly delete: Extent;
}

export type RightsOf = (resource: Resource) => Rights;

const objectPermissions = statement<[user: number], { permission: string }>(objectPermissionsSql);
const none: Rights = { view: 'none', add: 'none', change: 'none', delete: 'none' };

/** The actor's rights on the objects of each resource, in one statement. */
export async function loadRights(actor: Actor, registry: Registry, query: Query): Promise<RightsOf> {
  const onObjects = actor.isSuperuser
    ? new Set<string>()
    : new Set((await objectPermissions(query, actor.user.pk)).map(({ permission }) => permission));

  const held = (permission: string): Extent => {
    if (actor.holds(permission)) return 'all';
    return onObjects.has(permission) ? 'some' : 'none';
  };

  return (resource) => {
    const { visibility, verbs } = resource;
    if (actor.isSuperuser) return offered(ofSuperuser(resource), verbs);
    // Objects visible to their owner belong on the owner's account page.
    if (visibility?.by === 'superuser' || visibility?.by === 'owner') return none;
    const kinds = registry.kinds(resource.model);
    const widest = (verb: 'view' | 'delete') => {
      const own = held(resource.permission(verb));
      const others = kinds.map((kind) => held(kind.permission(verb)));
      return own === 'none' && others.some((extent) => extent !== 'none') ? 'some' : own;
    };
    const view = visibility?.by === 'anyone signed in' ? 'all' : widest('view');
    if (view === 'none') return none;
    if (isAlwaysInUse(resource)) return { ...none, view };
    const add = held(resource.permission('add')) === 'all' ? 'all' : 'none';
    return offered({ view, add, change: held(resource.permission('change')), delete: widest('delete') }, verbs);
  };
}

function ofSuperuser({ visibility }: Resource): Rights {
  const isOwners = visibility?.by === 'owner' && visibility.write === 'only owner';
  return isOwners
    ? { view: 'all', add: 'all', change: 'some', delete: 'some' }
    : { view: 'all', add: 'all', change: 'all', delete: 'all' };
}

/** Without the operation there is no right to it. */
const offered = (rights: Rights, verbs: Resource['verbs']): Rights => ({
  view: verbs.includes('list') ? rights.view : 'none',
  add: verbs.includes('create') ? rights.add : 'none',
  change: verbs.includes('partial_update') ? rights.change : 'none',
  delete: verbs.includes('destroy') ? rights.delete : 'none',
});
