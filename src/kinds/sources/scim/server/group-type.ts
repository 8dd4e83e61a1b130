import { sql } from 'kysely';
import { grantsSuperuser } from '../../../../core/access/delegation.ts';
import { grantsOfGroupsSql } from '../../../../core/access/rights-sql.ts';
import { textMember } from './document.ts';
import { at, type Leaf, type Place, type Scope } from './filter-sql.ts';
import type { ResourceType } from './resource-type.ts';
import { groupSchema } from './schemas.ts';
import { commonMapped, recordColumns } from './user-type.ts';

const memberId: Leaf = { is: 'uuid', sql: sql.ref('m.uuid') };
const someMember = (condition: ReturnType<Place>) => sql<boolean>`exists (select 1 from user_groups ug
  join users m on m.pk = ug."user" join scim_source_users r on r."user" = m.pk and r.source = t.source
  where ug."group" = o.pk and ${condition})`;
const ofMember: Scope = {
  places({ attribute, sub }) {
    if (sub !== null) return [];
    if (/^value$/i.test(attribute)) return [at(memberId)];
    return /^type$/i.test(attribute) ? [at({ is: 'text', sql: sql`'User'` })] : [];
  },
  someElement: () => sql`1 = 0`,
};
const members = {
  leaf: { is: 'text', sql: sql`cast(null as text)` },
  also: [(holds: Parameters<Place>[0]) => someMember(holds(memberId))],
  elements: (holds: Parameters<Scope['someElement']>[1]) => someMember(holds(ofMember)),
} as const;

export const groupType: ResourceType = {
  name: 'Group',
  endpoint: 'Groups',
  schema: groupSchema,
  extensions: [],
  targetModel: 'svc_core.group',
  recordModel: 'svc_sources_scim.scimsourcegroup',
  column: 'group',
  mappings: 'source_group_property_mappings',
  idColumn: 'pk',
  hasMembers: true,
  initial: {},
  from: sql`scim_source_groups t join groups o on o.pk = t."group"`,
  columns: sql`${recordColumns}, o.pk as target, o.pk as id, o.name`,
  mapped: () => ({
    ...commonMapped('Group'),
    id: { leaf: { is: 'uuid', sql: sql.ref('o.pk') } },
    displayname: { leaf: { is: 'text', sql: sql.ref('o.name') } },
    members,
    'members.value': members,
  }),
  naming: { attribute: 'displayName', property: 'name' },
  kept: ['displayName'],
  properties: ['name', 'attributes'],
  show: ({ name }, sent) => ({ ...sent, displayName: name }),
  propertiesOf(sent) {
    const name = textMember(sent, 'displayName');
    return name === undefined ? {} : { name };
  },
  isProtected: (tx, target) => grantsSuperuser(tx, [String(target)]),
  grants: (target) => grantsOfGroupsSql([String(target)]),
};
