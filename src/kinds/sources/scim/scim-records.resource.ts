import { defineResource } from '../../../resource/define.ts';
import { nested } from '../../../resource/fields/computed.ts';
import { hidden } from '../../../resource/fields/field.ts';
import { ref } from '../../../resource/fields/ref.ts';
import { boolean, integer, time, uuid } from '../../../resource/fields/scalar.ts';
import { json } from '../../../resource/fields/structured.ts';
import { text } from '../../../resource/fields/text.ts';
import { fieldFilter, relatedFilter } from '../../../resource/list/query.ts';
import type { CheckInput } from '../../../resource/resource.ts';
import { checkNotAboveCaller, type LinkedObject } from '../../../source/link-rights.ts';
import { scimSourceModel } from './scim.resource.ts';

// The client that owns a record may change and delete its user or group. So callers who set one must have that
// permission themselves, on what the record stood for before and on what it stands for now.
const source = ref(scimSourceModel, 'uuid', { needs: 'change', partOf: true, help: 'The source that created it.' });
const attributes = json({ anyValue: true, default: () => ({}), help: 'The record as the source sent it.' });
/** Internal columns of the SCIM server: neither shown nor accepted here. */
const known = {
  external_id: text({ ...hidden, nullable: true, default: null }),
  /** Whether the source has made what the record stands for, and may delete it. */
  is_own: boolean({ ...hidden, default: false }),
  created: time({ ...hidden, nullable: true, default: ({ now }) => now }),
  last_updated: time({ ...hidden, nullable: true, onWrite: ({ now }) => now }),
};
const shared = {
  param: 'id',
  lookup: 'id',
  key: 'int',
  keyName: null,
  nameOf: (row: Record<string, unknown>) => String(row.id),
} as const;

/** The id of a user in another system. */
export const scimUserResource = defineResource({
  ...shared,
  path: '/sources/scim_users/',
  model: 'svc_sources_scim.scimsourceuser',
  schema: 'SCIMSourceUser',
  names: ['SCIM Source User', 'SCIM Source Users'],
  table: 'scim_source_users',
  order: ['user.username'],
  search: ['source.slug', 'user.username', 'attributes'],
  filters: {
    source__slug: relatedFilter('source.slug'),
    user__username: relatedFilter('user.username'),
    user__id: fieldFilter('user', integer()),
  },
  fields: {
    id: text({
      unique: 'scim source user with this id already exists.',
      help: 'The key of the record at the source; unique.',
    }),
    user: ref('svc_core.user', 'int', { needs: 'change', help: 'The user here.', isObvious: true }),
    user_obj: nested('svc_core.user', 'user', { view: 'member' }),
    source,
    attributes,
    ...known,
  },
  check: (input) => checkTarget(input, 'user', 'svc_core.user'),
});

/** The id of a group in another system. */
export const scimGroupResource = defineResource({
  ...shared,
  path: '/sources/scim_groups/',
  model: 'svc_sources_scim.scimsourcegroup',
  schema: 'SCIMSourceGroup',
  names: ['SCIM Source Group', 'SCIM Source Groups'],
  table: 'scim_source_groups',
  order: ['group.name'],
  search: ['source.slug', 'group.name', 'attributes'],
  filters: {
    source__slug: relatedFilter('source.slug'),
    group__name: relatedFilter('group.name'),
    group__group_uuid: fieldFilter('group', uuid()),
  },
  fields: {
    id: text({
      unique: 'scim source group with this id already exists.',
      help: 'The key of the record at the source; unique.',
    }),
    group: ref('svc_core.group', 'uuid', { needs: 'change', help: 'The group here.', isObvious: true }),
    group_obj: nested('svc_core.group', 'group', { view: 'simple' }),
    source,
    attributes,
    ...known,
  },
  check: (input) => checkTarget(input, 'group', 'svc_core.group'),
});

async function checkTarget(
  { tx, call, values, current }: CheckInput,
  column: 'user' | 'group',
  model: LinkedObject['model'],
): Promise<null> {
  // The SCIM id of a manually created record is its key.
  if (values.id !== current?.id) values.external_id = values.id;
  if (values[column] === current?.[column]) return null;
  values.is_own = false;
  if (call.actor) await checkNotAboveCaller({ model, pk: values[column] }, call, tx);
  return null;
}
