import { type RawBuilder, sql } from 'kysely';
import { giveRight } from '../core/access/delegation.ts';
import type { ProviderFilter } from '../core/application/provider-filters.ts';
import { defineResource } from '../resource/define.ts';
import { stringSchema, uuidSchema } from '../resource/document/json-schema.ts';
import { defineFamilyList } from '../resource/family.ts';
import { computed } from '../resource/fields/computed.ts';
import { type Field, type Fields, hidden, mapFields, type RowAlias } from '../resource/fields/field.ts';
import { ref, refs } from '../resource/fields/ref.ts';
import { boolean, canonicalUuid, isUuid } from '../resource/fields/scalar.ts';
import { text } from '../resource/fields/text.ts';
import { eitherFilter } from '../resource/list/filters.ts';
import type { StoredRow } from '../resource/read/stored-row.ts';
import type { Family, KindDeclaration, Resource } from '../resource/resource.ts';

export const providerModel = 'svc_core.provider';

/** A column of the application that uses the provider; empty, never missing, when none does. */
const assigned = (column: 'slug' | 'name', help: string): Field<string> => ({
  ...computed(
    stringSchema,
    (row) => sql`coalesce((select a.${sql.ref(column)} from applications a where a.provider = ${row.col('pk')}), '')`,
  ),
  help,
});

const assignedBackchannel = (column: 'slug' | 'name', help: string): Field<string> => ({
  ...computed(
    stringSchema,
    (row) => sql`coalesce((select a.${sql.ref(column)} from application_backchannel_providers ab
      join applications a on a.pk = ab.application where ab.provider = ${row.col('pk')} order by a.slug limit 1), '')`,
  ),
  help,
});

const slugHelp = 'The slug of the application that uses it.';
const nameHelp = 'The name of the application that uses it.';

/** The members common to all providers. */
export const providerFamily = {
  model: providerModel,
  table: 'providers',
  fields: {
    name: text({
      unique: 'provider with this name already exists.',
      help: 'The name of the provider; unique.',
      isObvious: true,
    }),
    authentication_flow: ref('svc_flows.flow', 'uuid', {
      nullable: true,
      help: 'The flow for users who open the application without a session.',
      group: 'Advanced',
    }),
    authorization_flow: ref('svc_flows.flow', 'uuid', {
      nullable: true,
      help: 'The flow that runs before the application gets access.',
    }),
    invalidation_flow: ref('svc_flows.flow', 'uuid', {
      nullable: true,
      help: 'The flow that runs when the application signs people out; by default that of the brand.',
      group: 'Advanced',
    }),
    property_mappings: refs('svc_core.propertymapping', 'uuid', {
      table: 'provider_property_mappings',
      own: 'provider',
      other: 'mapping',
      needs: 'use',
      limits: { takes: giveRight },
      help: 'Which data about a user the application gets.',
    }),
    assigned_application_slug: assigned('slug', slugHelp),
    assigned_application_name: assigned('name', nameHelp),
    assigned_backchannel_application_slug: assignedBackchannel('slug', slugHelp),
    assigned_backchannel_application_name: assignedBackchannel('name', nameHelp),
    /** Whether it serves an application behind the scenes instead of signing people in; fixed by the kind. */
    is_backchannel: boolean({ ...hidden, default: false }),
    /** Where the application can be opened, as far as the kind can derive it from its settings. */
    launch_url: text({ ...hidden, blank: true, default: '' }),
  },
} satisfies Family;

type ProviderFields = typeof providerFamily.fields;

type Varying<F extends Fields> = KindDeclaration<F, ProviderFields, 'int'> & {
  /** Which of the family's members are filters, and which this kind has no use for. */
  readonly filterBy: readonly string[];
  readonly without?: readonly string[];
  /** The default mappings of forms for new providers, by `managed`. */
  readonly usualMappings?: readonly string[];
  /** What the mappings are called, if not property mappings. */
  readonly mappingsLabel?: string;
  readonly isBackchannel?: boolean;
};

/** A kind of provider: its own fields on top of the family's. */
export function defineProvider<F extends Fields>({
  filterBy,
  without = [],
  usualMappings,
  mappingsLabel,
  isBackchannel = false,
  fields,
  ...kind
}: Varying<F>): Resource<StoredRow<F, ProviderFields, 'int'>> {
  const shared = mapFields(providerFamily.fields, (field, name) => ({
    ...field,
    ...(filterBy.includes(name) && { filter: true }),
    ...(without.includes(name) && hidden),
    ...(name === 'property_mappings' && usualMappings && { proposes: { managed: usualMappings } }),
    ...(name === 'property_mappings' && mappingsLabel && { label: mappingsLabel }),
  }));
  return defineResource({
    param: 'id',
    key: 'int',
    family: providerFamily,
    order: ['name'],
    search: ['name'],
    ...kind,
    fields: { ...shared, is_backchannel: boolean({ ...hidden, default: isBackchannel }), ...fields },
  });
}

/** The launch URL that a provider suggests to the application with this slug, as an SQL expression. */
export const suggestedLaunchUrl = (provider: RawBuilder<unknown>, slug: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`(select replace(p.launch_url, '%(application_slug)s', ${slug}) from providers p where p.pk = ${provider})`;

/** Applications whose provider uses a flow. */
export const flowFilter: ProviderFilter = {
  schema: { ...uuidSchema, 'x-field': { kind: 'reference', label: 'Flow', model: 'svc_flows.flow' } },
  condition(text, provider) {
    if (!isUuid(text)) return { complaint: 'Enter a valid UUID.' };
    const flow = canonicalUuid(text);
    return sql`exists (select 1 from providers p where p.pk = ${provider}
      and ${flow} in (p.authentication_flow, p.authorization_flow, p.invalidation_flow))`;
  },
};

/** Providers of every kind. */
export const providersResource = defineFamilyList({
  family: providerFamily,
  path: '/providers/all/',
  param: 'id',
  key: 'int',
  schema: 'Provider',
  names: ['provider', 'providers'],
  order: ['name'],
  page: { columns: ['name', 'verbose_name', 'assigned_application_name', 'authorization_flow'] },
  search: ['name'],
  filters: {
    application__isnull: eitherFilter((row) => sql`not ${isAssigned(row)}`),
    backchannel: eitherFilter((row) => sql`${row.col('is_backchannel')}`),
  },
});

/** Whether an application uses the provider, in either role. */
const isAssigned = (row: RowAlias): RawBuilder<unknown> =>
  sql`(exists (select 1 from applications a where a.provider = ${row.col('pk')})
    or exists (select 1 from application_backchannel_providers ab where ab.provider = ${row.col('pk')}))`;
