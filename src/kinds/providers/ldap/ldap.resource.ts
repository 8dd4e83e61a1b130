import { sql } from 'kysely';
import { certificateModel } from '../../../core/key/certificate-model.ts';
import { outpostNames } from '../../../provider/outpost/outpost-names.ts';
import { passwordFlowSlug } from '../../../provider/password-server/password-flow.ts';
import { servedApplicationSql } from '../../../provider/password-server/served-application.ts';
import { defineProvider, providerFamily } from '../../../provider/provider.family.ts';
import { defineResource } from '../../../resource/define.ts';
import { integerSchema, stringSchema } from '../../../resource/document/json-schema.ts';
import { computed } from '../../../resource/fields/computed.ts';
import { hidden, type RowAlias } from '../../../resource/fields/field.ts';
import { ref } from '../../../resource/fields/ref.ts';
import { boolean, integer, parseWhole } from '../../../resource/fields/scalar.ts';
import { list } from '../../../resource/fields/structured.ts';
import { choice, text } from '../../../resource/fields/text.ts';
import { eitherFilter, iexactFilter } from '../../../resource/list/filters.ts';
import type { Filter, Resource } from '../../../resource/resource.ts';
import { attributeComplaint, baseDnComplaint, completeSettings, serverNameComplaint } from './complete-settings.ts';
import { accessModes, ldapModel, uidSources } from './ldap-model.ts';

const servingApplication = (row: RowAlias) =>
  sql`(select a.slug from applications a where a.pk = ${servedApplicationSql(row.col('pk'))})`;
const flowSlug = (row: RowAlias) => sql`(select f.slug from flows f where f.pk = ${row.col('authorization_flow')})`;
const certificateName = (row: RowAlias) =>
  sql`(select c.name from certificates c where c.pk = ${row.col('certificate')})`;
const asText = (column: string) => (row: RowAlias) => sql`cast(${row.col(column)} as text)`;

const numberFilter = (name: string): Readonly<Record<string, Filter>> => ({
  [`${name}__iexact`]: {
    schema: integerSchema,
    notOnPages: true,
    condition: ({ texts, row }) => {
      const wanted = parseWhole(texts.at(-1));
      return 'value' in wanted ? sql`${row.col(name)} = ${wanted.value}` : { complaint: 'Enter a number.' };
    },
  },
});

const directory = {
  base_dn: text({
    max: 500,
    default: 'DC=ldap,DC=gatehouse',
    check: baseDnComplaint,
    help: 'The root of the tree that clients see, such as DC=ldap,DC=example,DC=com. No two providers have the same.',
  }),
  certificate: ref(certificateModel, 'uuid', {
    nullable: true,
    needs: 'use',
    help: 'The key pair for LDAPS and StartTLS; without one, a self-signed certificate.',
    group: 'TLS',
  }),
  tls_server_name: text({
    max: 253,
    blank: true,
    default: '',
    check: serverNameComplaint,
    help: 'The host name by which clients ask for this certificate (SNI), such as ldap.example.com.',
    group: 'TLS',
  }),
  uid_start_number: integer({
    default: 2000,
    min: 1000,
    help: 'Added to the key of a user, for a `uidNumber` above those of local accounts.',
    group: 'POSIX',
  }),
  gid_start_number: integer({
    default: 4000,
    min: 1000,
    help: 'Added to the number of a group, for a `gidNumber` above those of local groups.',
    group: 'POSIX',
  }),
  search_mode: choice(accessModes, {
    default: 'direct',
    help: 'Kept for clients that set it: searches always read the database.',
    group: 'Directory',
  }),
  bind_mode: choice(accessModes, {
    default: 'direct',
    help: 'With `cached`, a successful bind counts for a few minutes, until the user changes.',
    group: 'Bind',
  }),
  mfa_support: boolean({
    default: true,
    help: 'Take a code that follows the password after a semicolon (password;123456), and ask the push devices of people who have one.',
    group: 'Bind',
  }),
};

const bindFlow = ref('svc_flows.flow', 'uuid', {
  required: false,
  label: 'Bind flow',
  help: 'The flow that passwords are checked by when clients bind; by default the shipped one that signs people in.',
  proposes: { slug: passwordFlowSlug },
});

/** Serves users and groups to applications that only support LDAP. */
export function ldapProvider(): Resource {
  return defineProvider({
    path: '/providers/ldap/',
    model: ldapModel,
    schema: 'LDAPProvider',
    names: ['LDAP Provider', 'LDAP Providers'],
    component: 'xak-provider-ldap-form',
    description: 'Serves users and groups to applications that only support LDAP.',
    table: 'provider_ldap',
    filterBy: [],
    filters: {
      application__isnull: eitherFilter(
        (row) => sql`not exists (select 1 from applications a where a.provider = ${row.col('pk')})`,
      ),
      ...iexactFilter('authorization_flow__slug', flowSlug),
      ...iexactFilter('base_dn', (row) => row.col('base_dn')),
      ...iexactFilter('certificate__kp_uuid', asText('certificate')),
      ...iexactFilter('certificate__name', certificateName),
      ...numberFilter('gid_start_number'),
      ...iexactFilter('name', (row) => row.col('name')),
      ...iexactFilter('tls_server_name', (row) => row.col('tls_server_name')),
      ...numberFilter('uid_start_number'),
    },
    fields: {
      authorization_flow: bindFlow,
      ...directory,
      uid_source: choice(uidSources, {
        default: 'username',
        help: 'What `uid` holds: the username, as most clients expect, or the hashed id, which never changes.',
        group: 'Directory',
      }),
      published_attributes: list(text({ max: 100, check: attributeComplaint }), {
        default: [],
        max: 50,
        limits: { only: 'superusers' },
        help: 'The attributes of users and groups that clients see besides the usual ones, such as loginShell.',
        group: 'Directory',
      }),
      accept_app_passwords: boolean({
        default: false,
        help: 'Take app passwords without the flow, for clients of people who have a second factor.',
        group: 'Bind',
      }),
      base_key: text({ ...hidden, default: '', unique: 'Another provider has this base DN.' }),
      outpost_set: outpostNames,
    },
    check: completeSettings,
  });
}

/** The same rows as outposts read them. Without an application, a provider is not served. */
export function ldapOutpostConfig(): Resource {
  return defineResource({
    path: '/outposts/ldap/',
    param: 'id',
    key: 'int',
    model: ldapModel,
    schema: 'LDAPOutpostConfig',
    names: ['LDAP Provider', 'LDAP Providers'],
    table: 'provider_ldap',
    family: { ...providerFamily, fields: { name: providerFamily.fields.name, authorization_flow: bindFlow } },
    isAlternate: true,
    visibility: { by: 'permission', always: (row) => sql`${servingApplication(row)} is not null` },
    verbs: ['list'],
    order: ['name'],
    search: ['name'],
    fields: {
      name: { ...providerFamily.fields.name, filter: true },
      authorization_flow: { ...bindFlow, ...hidden },
      bind_flow_slug: computed(stringSchema, (row) => sql`coalesce(${flowSlug(row)}, '')`),
      application_slug: computed(stringSchema, (row) => sql`coalesce(${servingApplication(row)}, '')`),
      ...directory,
    },
  });
}
