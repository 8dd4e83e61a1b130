import { releaseImage } from '../core/media/image-actions.ts';
import { image } from '../core/media/image-field.ts';
import type { Declaration, Family } from '../resource/define.ts';
import type { Field, Fields, Row } from '../resource/fields/field.ts';
import { ref, refs } from '../resource/fields/ref.ts';
import { flag } from '../resource/fields/scalar.ts';
import { choice, slug, text } from '../resource/fields/text.ts';
import { defineResource, type Resource } from '../resource/resource.ts';

const userMatchingModes = ['identifier', 'email_link', 'email_deny', 'username_link', 'username_deny'] as const;
const groupMatchingModes = ['identifier', 'name_link', 'name_deny'] as const;

/** What every source has, wherever its people come from. */
export const sourceFamily: Family = {
  model: 'svc_core.source',
  table: 'sources',
  reaches: 'sign-in',
  fields: {
    name: text({ help: 'What people read on the sign-in page.' }),
    slug: slug({
      unique: 'source with this slug already exists.',
      help: 'Part of the addresses that belong to the source.',
    }),
    enabled: flag({ default: true }),
    authentication_flow: ref('svc_flows.flow', 'uuid', {
      nullable: true,
      help: 'What users go through who are known already.',
    }),
    enrollment_flow: ref('svc_flows.flow', 'uuid', {
      nullable: true,
      help: 'What people go through who come for the first time.',
    }),
    user_property_mappings: refs('svc_core.propertymapping', 'uuid', {
      table: 'source_user_property_mappings',
      own: 'source',
      other: 'mapping',
    }),
    group_property_mappings: refs('svc_core.propertymapping', 'uuid', {
      table: 'source_group_property_mappings',
      own: 'source',
      other: 'mapping',
    }),
    policy_engine_mode: choice(['all', 'any'], { default: 'any' }),
    user_matching_mode: choice(userMatchingModes, {
      default: 'identifier',
      help: 'How somebody from the source is recognised as one of our users.',
    }),
    managed: text({
      nullable: true,
      readOnly: true,
      default: null,
      help: 'Marks what Gatehouse itself makes and keeps up to date; a later version may overwrite changes to it.',
    }),
    user_path_template: text({ default: 'gatehouse/sources/%(slug)s' }),
    icon: image(),
    group_matching_mode: choice(groupMatchingModes, {
      default: 'identifier',
      help: 'How a group of the source is recognised as one of ours.',
    }),
  },
};

/** A source as an administrator has set it up: the columns that all kinds share. */
export interface SourceRow extends Row {
  readonly pk: string;
  readonly name: string;
  readonly slug: string;
  readonly enabled: boolean;
  readonly authentication_flow: string | null;
  readonly enrollment_flow: string | null;
  readonly policy_engine_mode: 'all' | 'any';
  readonly user_matching_mode: (typeof userMatchingModes)[number];
  readonly group_matching_mode: (typeof groupMatchingModes)[number];
  readonly user_path_template: string;
}

/** Kept in the base table with its default, but no part of what this kind shows or takes. */
export const unused = (field: Field): Field => ({ ...field, readOnly: true, writeOnly: true });

/** The same fields, with an exact filter on those named. */
export function filterable(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, names.includes(name) ? { ...field, filter: true } : field]),
  );
}

type Varying = Pick<
  Declaration,
  'path' | 'model' | 'schema' | 'names' | 'component' | 'description' | 'table' | 'fields'
> &
  Partial<Pick<Declaration, 'filters' | 'check' | 'actions' | 'afterWrite'>> & {
    /** Which of the family's members are filters, and which this kind has no use for. */
    readonly filterBy: readonly string[];
    readonly without?: readonly string[];
  };

/** A kind of source: its own fields on top of the family's. */
export function defineSource({ filterBy, without = [], fields, afterWrite, ...kind }: Varying): Resource {
  const shared = Object.fromEntries(without.map((name) => [name, unused(sourceFamily.fields[name] as Field)]));
  return defineResource({
    param: 'slug',
    lookup: 'slug',
    key: 'uuid',
    family: sourceFamily,
    target: 'pk',
    order: ['name'],
    search: ['name', 'slug'],
    ...kind,
    fields: filterable({ ...sourceFamily.fields, ...shared, ...fields }, filterBy),
    async afterWrite(input) {
      await releaseImage('icon', input);
      await afterWrite?.(input);
    },
  });
}
