import { capitalized } from '../../lib/spell-out.ts';
import type { Actor } from '../../resource/access/actor.ts';
import { requireActor } from '../../resource/call.ts';
import {
  arrayOf,
  booleanSchema,
  integerSchema,
  type JsonSchema,
  objectSchema,
  orNull,
  stringSchema,
  type ValueLabels,
} from '../../resource/document/json-schema.ts';
import { buttonPermissions } from '../../resource/document/ui-metadata/button.ts';
import { defineEndpoint, type Endpoint } from '../../resource/endpoint.ts';
import type { Registry, Resource } from '../../resource/resource.ts';
import { systemPermissions } from '../access/permissions.ts';
import { eventActionLabels } from '../event/actions.ts';
import { extents, loadRights, type RightsOf } from './rights.ts';
import { findSavedViews } from './saved-views.ts';
import { searchScopeOf, searchScopes } from './search-scope.ts';

const labelsSchema: JsonSchema = { type: 'object', additionalProperties: stringSchema };

const extent: JsonSchema = { type: 'string', enum: extents };

const person: JsonSchema = objectSchema({
  pk: integerSchema,
  username: stringSchema,
  name: stringSchema,
  email: stringSchema,
  is_superuser: booleanSchema,
});

const resourceSchema: JsonSchema = {
  type: 'object',
  properties: {
    path: stringSchema,
    model: stringSchema,
    singular: stringSchema,
    plural: stringSchema,
    description: stringSchema,
    family: { ...orNull(stringSchema), description: 'The path of the list that has its rows too.' },
    kinds: { ...arrayOf(stringSchema), description: 'Of families: the paths of the kinds that can be created.' },
    search: {
      type: 'string',
      enum: searchScopes,
      description: 'Whether the search over all kinds finds its rows, or only the search of its list.',
    },
    reaches_sign_in: { ...booleanSchema, description: 'Whether its objects decide how people sign in.' },
    may: objectSchema({ view: extent, add: extent, change: extent, delete: extent }),
  },
  required: [
    'path',
    'model',
    'singular',
    'plural',
    'description',
    'family',
    'kinds',
    'search',
    'reaches_sign_in',
    'may',
  ],
};

/** The rights that custom pages use for buttons; others follow from `may` and from declared buttons. */
const actionPermissions = [
  'svc_core.add_user_to_group',
  'svc_core.impersonate',
  'svc_core.remove_user_from_group',
  'svc_core.reset_user_password',
  'svc_core.reset_user_second_factors',
  'svc_core.view_token_key',
  'svc_core.view_user_applications',
  'svc_flows.export_flow',
];

const buttonsOf = (registry: Registry): string[] =>
  [...new Set([...actionPermissions, ...registry.resources.flatMap(buttonPermissions)])].sort();

/** Everything the frame of the admin interface needs, in one request. */
export const interfaceEndpoint = (version: string): Endpoint =>
  defineEndpoint({
    id: 'admin_interface_retrieve',
    method: 'GET',
    path: '/admin/interface/',
    summary: 'Get the caller, the resources and the caller’s permissions on them',
    access: 'authenticated',
    answer: {
      status: 200,
      schemaName: 'AdminInterface',
      schema: objectSchema({
        version: stringSchema,
        user: person,
        acting: { ...orNull(person), description: 'The impersonator, while the user is impersonated.' },
        has_rights: { ...booleanSchema, description: 'Whether there is anything here for the caller.' },
        system_permissions: arrayOf(stringSchema),
        actions: {
          ...arrayOf(stringSchema),
          description: 'Permissions held globally among those that buttons of pages need.',
        },
        resources: arrayOf(resourceSchema),
        views: {
          ...arrayOf({ $ref: '#/components/schemas/SavedView' }),
          description: 'The views of lists that the caller has saved.',
        },
        labels: {
          ...objectSchema({ kinds: labelsSchema, event_actions: labelsSchema }),
          description:
            'What pages call kinds, by name in small letters, and actions of events, where they call them otherwise.',
        },
      }),
    },
    async run({ call, engine: { registry }, tx }) {
      const actor = requireActor(call);
      const rightsOf = await loadRights(actor, registry, tx);
      const resources = registry.resources
        .map((resource) => describe(resource, registry, rightsOf))
        .filter(({ may }) => may.view !== 'none');
      const held = systemPermissions.filter((codename) => actor.holds(`svc_rbac.${codename}`));
      const isOpen = (model: string) => registry.find(model)?.visibility?.by === 'anyone signed in';
      return {
        version,
        user: personOf(actor),
        acting: actor.impersonator ? personOf(actor.impersonator) : null,
        has_rights: held.length > 0 || resources.some(({ model }) => !isOpen(model)),
        system_permissions: held,
        actions: buttonsOf(registry).filter((permission) => actor.holds(permission)),
        resources,
        views: await findSavedViews(tx, actor.user.pk),
        labels: { kinds: kindLabels(registry), event_actions: eventActionLabels },
      };
    },
  });

const kindLabels = ({ resources }: Registry): ValueLabels =>
  Object.fromEntries(
    resources.flatMap(
      ({ names, labels }) => labels?.map((label, at) => [String(names[at]).toLowerCase(), label]) ?? [],
    ),
  );

const personOf = ({ user: { pk, username, name, email }, isSuperuser }: Actor) => ({
  ...{ pk, username, name, email },
  is_superuser: isSuperuser,
});

function describe(resource: Resource, registry: Registry, rightsOf: RightsOf) {
  const { path, model, names, description = '', family } = resource;
  const base = family && registry.find(family.model);
  const kinds = registry.kinds(model).filter((kind) => kind.verbs.includes('create'));
  const may = rightsOf(resource);
  const open = kinds.filter((kind) => rightsOf(kind).add !== 'none');
  return {
    ...{ path, model, description },
    singular: capitalized(names[0]),
    plural: capitalized(names[1]),
    family: base?.path ?? null,
    kinds: open.map((kind) => kind.path),
    search: searchScopeOf(resource),
    reaches_sign_in: resource.reaches === 'sign-in',
    may: open.length > 0 ? { ...may, add: 'all' as const } : may,
  };
}
