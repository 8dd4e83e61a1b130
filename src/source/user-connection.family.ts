import { Problem } from '../lib/problem.ts';
import { defineResource } from '../resource/define.ts';
import type { Fields } from '../resource/fields/field.ts';
import { ref } from '../resource/fields/ref.ts';
import { time } from '../resource/fields/scalar.ts';
import { text } from '../resource/fields/text.ts';
import { relatedFilter } from '../resource/list/query.ts';
import type { Family, KindDeclaration, Resource } from '../resource/resource.ts';
import type { Verb } from '../resource/verb.ts';
import { connectAction } from './connect-action.ts';
import { embeddedSource } from './embedded-source.ts';

/** All verbs but create, which needs members that cannot be changed later. */
export const connectionVerbs: readonly Verb[] = ['list', 'retrieve', 'update', 'partial_update', 'destroy', 'used_by'];

// Immutable: changing it would allow account takeover.
const fixed = {
  user: ref('svc_core.user', 'int', { readOnly: true, filter: true }),
  source: embeddedSource,
  created: time({ readOnly: true }),
};

/** That an account elsewhere belongs to a user here. */
const userConnectionFamily = {
  model: 'svc_core.usersourceconnection',
  table: 'user_source_connections',
  fields: {
    ...fixed,
    identifier: text({ max: 255, help: 'The identifier of the user at the source.', isObvious: true }),
  },
} satisfies Family;

type ConnectionFields = typeof userConnectionFamily.fields;

const common = {
  param: 'id',
  key: 'int',
  order: ['source.slug', 'pk'],
  page: { columns: ['user', 'source', 'created'], notInSearch: 'It belongs to a person, whose page shows it.' },
  search: ['source.slug'],
  filters: { source__slug: relatedFilter('source.slug') },
  visibility: { by: 'owner', column: 'user', write: 'owner' },
  recentAuthentication: { update: true, partial_update: true, destroy: true },
} as const;

/** Connections of users to sources of every kind. */
export const userConnectionsResource = defineResource({
  ...common,
  path: '/sources/user_connections/all/',
  model: userConnectionFamily.model,
  schema: 'UserSourceConnection',
  names: ['User Source Connection', 'User Source Connections'],
  table: userConnectionFamily.table,
  verbs: connectionVerbs,
  fields: fixed,
});

export type ConnectionKind<F extends Fields = Fields> = Pick<
  KindDeclaration<F, ConnectionFields, 'int'>,
  'path' | 'model' | 'schema' | 'names' | 'labels' | 'table' | 'fields'
> & {
  /** The kind of source that is linked to. */
  readonly sourceModel: string;
};

/** Connections of users to sources of one kind. */
export function defineUserConnection({ sourceModel, ...kind }: ConnectionKind): Resource {
  const connect = connectAction({
    model: kind.model,
    schema: kind.schema,
    sourceModel,
    to: { column: 'user', model: 'svc_core.user', keyType: 'int' },
    fields: { identifier: userConnectionFamily.fields.identifier, ...kind.fields },
  });
  return defineResource({
    ...common,
    ...kind,
    family: userConnectionFamily,
    verbs: connectionVerbs,
    actions: [connect],
    check({ call, values, current }) {
      // A caller who could set the identifier could claim the external account of another user.
      if (current && values.identifier !== current.identifier && !call.actor?.isSuperuser)
        throw new Problem('permission_denied', 'Only superusers change the identifier of a connection.');
      return null;
    },
    nameOf: ({ identifier }) => identifier,
  });
}
