import { sql } from 'kysely';
import { defineResource } from '../resource/define.ts';
import { hidden } from '../resource/fields/field.ts';
import { ref } from '../resource/fields/ref.ts';
import { time } from '../resource/fields/scalar.ts';
import { text } from '../resource/fields/text.ts';
import { relatedFilter } from '../resource/list/query.ts';
import type { Resource } from '../resource/resource.ts';
import { connectAction } from './connect-action.ts';
import { embeddedSource } from './embedded-source.ts';
import { type ConnectionKind, connectionVerbs } from './user-connection.family.ts';

type GroupKind = Omit<ConnectionKind, 'table' | 'fields'> & {
  /** Whether connections can be created manually. */
  readonly create: boolean;
};

/** That a group elsewhere is a group here, for sources of one kind. Nothing of it can be changed, only undone. */
export function defineGroupConnection({ sourceModel, create, ...kind }: GroupKind): Resource {
  const connect = connectAction({
    model: kind.model,
    schema: kind.schema,
    sourceModel,
    to: { column: 'group', model: 'svc_core.group', keyType: 'uuid' },
    fields: { identifier: text({ max: 255, help: 'The identifier of the group at the source.' }) },
  });
  return defineResource({
    param: 'id',
    key: 'int',
    order: ['source.slug', 'pk'],
    page: {
      columns: ['identifier', 'group', 'source', 'created'],
      notInSearch: 'It has no name; the page of its source shows it.',
    },
    search: ['source.slug'],
    filters: { source__slug: relatedFilter('source.slug') },
    ...kind,
    table: 'group_source_connections',
    verbs: connectionVerbs,
    visibility: { by: 'permission', always: (row) => sql`${row.col('kind')} = ${kind.model}` },
    fields: {
      group: ref('svc_core.group', 'uuid', { readOnly: true, filter: true }),
      source: embeddedSource,
      identifier: text({ readOnly: true }),
      created: time({ readOnly: true }),
      kind: text({ ...hidden, default: kind.model }),
    },
    actions: create ? [connect] : [],
    nameOf: ({ identifier }) => identifier,
  });
}
