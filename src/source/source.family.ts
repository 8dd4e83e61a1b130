import { releaseImage } from '../core/media/image-actions.ts';
import { image } from '../core/media/image-field.ts';
import { defineResource } from '../resource/define.ts';
import { type Field, type Fields, hidden, mapFields } from '../resource/fields/field.ts';
import { ref, refs } from '../resource/fields/ref.ts';
import { boolean } from '../resource/fields/scalar.ts';
import { choice, slug, text } from '../resource/fields/text.ts';
import type { NoFields, StoredRow } from '../resource/read/stored-row.ts';
import type { Family, KindDeclaration, Resource } from '../resource/resource.ts';

const userMatchingModes = ['identifier', 'email_link', 'email_deny', 'username_link', 'username_deny'] as const;
const groupMatchingModes = ['identifier', 'name_link', 'name_deny'] as const;

/** The fields of all kinds of source. */
export const sourceFamily = {
  model: 'svc_core.source',
  table: 'sources',
  reaches: 'sign-in',
  signsIn: 'while enabled',
  fields: {
    name: text({ help: 'The name on the sign-in page.' }),
    slug: slug({
      unique: 'source with this slug already exists.',
      help: 'Part of the addresses that belong to the source.',
    }),
    enabled: boolean({
      default: true,
      limits: { only: 'superusers' },
      help: 'Turn off to close the source without deleting it.',
    }),
    authentication_flow: ref('svc_flows.flow', 'uuid', {
      nullable: true,
      help: 'The flow for users who are already known; without one they are turned away.',
      group: 'Flows',
      proposes: { slug: 'default-source-authentication' },
    }),
    enrollment_flow: ref('svc_flows.flow', 'uuid', {
      nullable: true,
      help: 'The flow for people who sign in for the first time; without one they are turned away.',
      group: 'Flows',
      proposes: { slug: 'default-source-enrollment' },
    }),
    user_property_mappings: refs('svc_core.propertymapping', 'uuid', {
      table: 'source_user_property_mappings',
      own: 'source',
      other: 'mapping',
      needs: 'use',
      help: 'Which data of a user is taken over.',
      group: 'Mapping',
    }),
    group_property_mappings: refs('svc_core.propertymapping', 'uuid', {
      table: 'source_group_property_mappings',
      own: 'source',
      other: 'mapping',
      needs: 'use',
      help: 'Which data of a group is taken over.',
      group: 'Mapping',
    }),
    policy_engine_mode: choice(['all', 'any'], {
      default: 'any',
      help: 'Whether one binding has to pass (any) or every one (all).',
    }),
    user_matching_mode: choice(userMatchingModes, {
      default: 'identifier',
      labels: {
        email_deny: 'Refuse if the email address is taken',
        email_link: 'Link to the user with the same email address',
        username_deny: 'Refuse if the username is taken',
        username_link: 'Link to the user with the same username',
      },
      help: 'How users of the source are matched to users here.',
      group: 'Matching',
    }),
    managed: text({
      nullable: true,
      readOnly: true,
      default: null,
      help: 'Marks objects that Gatehouse creates and keeps up to date; a later version may overwrite changes.',
    }),
    user_path_template: text({
      default: 'gatehouse/sources/%(slug)s',
      help: 'The path that new users get; `%(slug)s` stands for the slug of the source.',
      group: 'Mapping',
    }),
    icon: image(),
    group_matching_mode: choice(groupMatchingModes, {
      default: 'identifier',
      labels: { name_deny: 'Refuse if the name is taken', name_link: 'Link to the group with the same name' },
      help: 'How a group of the source is recognized as one of ours.',
      group: 'Matching',
    }),
  },
} satisfies Family;

/** A source as an administrator has set it up: the columns that all kinds share. */
export type SourceRow = StoredRow<SourceFields, NoFields, 'uuid'>;

/** The enrolment flow for services with public registration: never a default. */
export const publicEnrollment = {
  enrollment_flow: ref('svc_flows.flow', 'uuid', {
    nullable: true,
    filter: true,
    help: 'The flow for people who sign in for the first time; without one they are turned away. With one, everybody who has an account at the service gets one here, unless the access of the source is limited.',
    group: 'Flows',
  }),
};

/** Kept in the base table with its default, but no part of what this kind shows or takes. */
export const unused = <T>(field: Field<T>): Field<T> => ({ ...field, ...hidden });

/** The same fields, with an exact filter on those named. */
export const filterable = <F extends Fields>(fields: F, names: readonly string[]): F =>
  mapFields(fields, (field, name) => (names.includes(name) ? { ...field, filter: true } : field));

/** Filters of the kinds that people sign in by. */
export const signInFilters: readonly string[] = [
  ...['name', 'slug', 'enabled', 'policy_engine_mode', 'user_matching_mode'],
  ...['authentication_flow', 'enrollment_flow'],
];

type SourceFields = typeof sourceFamily.fields;

type Varying<F extends Fields> = KindDeclaration<F, SourceFields> & {
  /** Which of the family's members are filters, and which this kind has no use for. */
  readonly filterBy: readonly string[];
  readonly without?: readonly (keyof SourceFields)[];
  /** The managed mappings that forms of new sources begin with. */
  readonly usualMappings?: Partial<Record<'user_property_mappings' | 'group_property_mappings', readonly string[]>>;
};

/** A kind of source: its own fields on top of the family's. */
export function defineSource<F extends Fields>({
  filterBy,
  without = [],
  usualMappings = {},
  fields,
  afterWrite,
  ...kind
}: Varying<F>): Resource<StoredRow<F, SourceFields, 'uuid'>> {
  const usual = new Map(Object.entries(usualMappings));
  const shared = mapFields(sourceFamily.fields, (field, name) => {
    const managed = usual.get(name);
    if (managed) return { ...field, proposes: { managed } };
    return without.some((one) => one === name) ? unused(field) : field;
  });
  return defineResource({
    param: 'slug',
    lookup: 'slug',
    key: 'uuid',
    family: sourceFamily,
    target: 'pk',
    order: ['name'],
    page: { columns: ['name', 'slug', 'enabled', 'authentication_flow', 'enrollment_flow'] },
    search: ['name', 'slug'],
    ...kind,
    fields: filterable({ ...shared, ...fields }, filterBy),
    async afterWrite(input) {
      await releaseImage('icon', input);
      await afterWrite?.(input);
    },
  });
}
