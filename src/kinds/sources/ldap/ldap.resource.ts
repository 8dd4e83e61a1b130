import { certificateModel } from '../../../core/key/certificate-model.ts';
import { image } from '../../../core/media/image-field.ts';
import { parseDn } from '../../../lib/ldap/dn.ts';
import type { Jobs } from '../../../platform/jobs/job.ts';
import { objectSchema, stringSchema } from '../../../resource/document/json-schema.ts';
import type { FieldNotes } from '../../../resource/fields/field.ts';
import { ref } from '../../../resource/fields/ref.ts';
import { boolean, integer } from '../../../resource/fields/scalar.ts';
import { secret } from '../../../resource/fields/secret.ts';
import { json } from '../../../resource/fields/structured.ts';
import { text } from '../../../resource/fields/text.ts';
import type { Resource } from '../../../resource/resource.ts';
import { defineSource } from '../../../source/source.family.ts';
import { checkLdapSource } from './check-source.ts';
import { filterComplaint } from './filter-text.ts';
import { type LdapSource, ldapSourceModel } from './ldap-model.ts';
import { parseServerUri } from './server-uri.ts';
import { ldapActions } from './sync/actions.ts';
import { requestRun, type SyncNeeds } from './sync/run.ts';

const keypair = (help: string) =>
  ref(certificateModel, 'uuid', { nullable: true, filter: true, needs: 'use', help, group: 'Connection' });

const attributeName = (fallback: string, notes: FieldNotes) =>
  text({
    max: 100,
    default: fallback,
    filter: true,
    check: (name) => (/^[A-Za-z0-9][A-Za-z0-9.;-]*$/.test(name) ? null : 'Enter the name of an attribute.'),
    ...notes,
  });

const searchFilter = (fallback: string, notes: FieldNotes) =>
  text({ max: 1_000, default: fallback, filter: true, check: filterComplaint, ...notes });

const dn = (notes: FieldNotes) =>
  text({ max: 1_000, blank: true, default: '', filter: true, check: dnComplaint, ...notes });

const dnComplaint = (value: string) => (parseDn(value) ? null : 'Enter a distinguished name.');

const synchronization = 'Synchronization';
const passwords = 'Passwords';

const unusedFlow = () =>
  ref('svc_flows.flow', 'uuid', {
    nullable: true,
    help: 'Kept for clients that set it: users of a directory sign in by the flow of the brand, which asks for their password.',
    group: passwords,
  });

/** Users and groups of an LDAP directory. */
export function ldapSource(needs: SyncNeeds & { jobs(): Jobs }): Resource<LdapSource> {
  return defineSource({
    path: '/sources/ldap/',
    model: ldapSourceModel,
    schema: 'LDAPSource',
    names: ['LDAP Source', 'LDAP Sources'],
    component: 'xak-source-ldap-form',
    description: 'Users and groups come from an LDAP directory, which also checks passwords.',
    table: 'source_ldap',
    page: { columns: ['name', 'slug', 'enabled', 'server_uri', 'base_dn'] },
    filterBy: ['name', 'slug', 'enabled', 'user_property_mappings', 'group_property_mappings'],
    // As the filters below, those of Active Directory.
    usualMappings: {
      user_property_mappings: [
        ...['default-dn-path', 'default-name', 'default-mail'],
        ...['ms-samaccountname', 'ms-userprincipalname', 'ms-givenName', 'ms-sn'],
      ].map((name) => `gatehouse/sources/ldap/${name}`),
      group_property_mappings: ['gatehouse/sources/ldap/default-name'],
    },
    fields: {
      icon: image('/static/sources/ldap.svg'),
      authentication_flow: unusedFlow(),
      enrollment_flow: unusedFlow(),
      server_uri: text({
        max: 500,
        filter: true,
        check: (value) =>
          parseServerUri(value) ? null : 'Enter ldap:// or ldaps:// addresses without a path, separated by commas.',
        help: 'The servers of the directory: `ldaps://` or `ldap://` addresses, separated by commas. Private addresses must be allowed by GATEHOUSE_OUTBOUND_ALLOW.',
        group: 'Connection',
      }),
      start_tls: boolean({
        default: false,
        filter: true,
        label: 'Use StartTLS',
        help: 'Whether to encrypt `ldap://` connections with StartTLS before anything is sent.',
        group: 'Connection',
      }),
      verify_certificates: boolean({
        default: true,
        help: 'Whether the certificates of the servers are verified. Without it, an attacker on the network can read passwords.',
        group: 'Connection',
      }),
      peer_certificate: keypair(
        'The authority that the servers’ certificates must chain to; those of the system if empty.',
      ),
      client_certificate: keypair('The key pair with which to authenticate to the servers, if they request one.'),
      sni: boolean({
        default: false,
        filter: true,
        label: 'Send the host name (SNI)',
        help: 'Whether servers learn the host name when an encrypted connection is opened, to choose their certificate.',
        group: 'Connection',
      }),
      bind_cn: text({
        max: 1_000,
        blank: true,
        default: '',
        filter: true,
        label: 'Bind DN',
        help: 'The account with which the directory is read, in any form that the server accepts; anonymous if empty.',
        group: 'Connection',
      }),
      bind_password: secret({
        max: 1_000,
        blank: true,
        default: '',
        trim: false,
        writeOnly: true,
        sentTo: ['server_uri', 'start_tls', 'verify_certificates', 'peer_certificate', 'bind_cn'],
        help: 'The password of that account.',
        isObvious: true,
        group: 'Connection',
      }),
      base_dn: text({
        max: 1_000,
        filter: true,
        check: dnComplaint,
        label: 'Base DN',
        help: 'The root of the part of the directory that is read, such as dc=example,dc=com.',
        group: 'Directory',
      }),
      additional_user_dn: dn({
        label: 'Additional user DN',
        help: 'Where users are, relative to the base DN, such as ou=users.',
        group: 'Directory',
      }),
      additional_group_dn: dn({
        label: 'Additional group DN',
        help: 'Where groups are, relative to the base DN, such as ou=groups.',
        group: 'Directory',
      }),
      user_object_filter: searchFilter('(objectClass=person)', {
        help: 'The filter that finds users.',
        isObvious: true,
        group: 'Directory',
      }),
      group_object_filter: searchFilter('(objectClass=group)', {
        help: 'The filter that finds groups; in OpenLDAP usually (objectClass=groupOfNames).',
        group: 'Directory',
      }),
      group_membership_field: attributeName('member', {
        help: 'The attribute that holds memberships: `member` or `memberUid` of groups, or `memberOf` of users.',
        group: 'Directory',
      }),
      object_uniqueness_field: attributeName('objectSid', {
        help: 'The attribute that identifies an entry for ever: `objectSid` in Active Directory, `entryUUID` in OpenLDAP.',
        group: 'Directory',
      }),
      sync_users: boolean({
        default: true,
        filter: true,
        help: 'Whether users are taken over.',
        group: synchronization,
      }),
      sync_groups: boolean({
        default: true,
        filter: true,
        help: 'Whether groups and memberships are taken over.',
        group: synchronization,
      }),
      sync_parent_group: ref('svc_core.group', 'uuid', {
        nullable: true,
        filter: true,
        help: 'The group that all groups of the directory are put under.',
        group: synchronization,
      }),
      trust_emails: boolean({
        default: false,
        limits: { only: 'superusers' },
        label: 'Addresses count as verified',
        help: 'Whether addresses of the directory count as verified: turn on if users cannot choose theirs there. Matching by address needs it.',
        group: 'Matching',
      }),
      delete_not_found_objects: boolean({
        default: false,
        label: 'Delete missing objects',
        help: 'Whether users and groups that the directory no longer has are deleted here. Those that were not created by the source are deactivated.',
        group: synchronization,
      }),
      deletion_limit: integer({
        default: 10,
        min: 1,
        max: 100,
        help: 'The percentage of users or groups that one run may delete; if more are missing, none are deleted.',
        group: synchronization,
      }),
      password_login_update_internal_password: boolean({
        default: false,
        filter: true,
        label: 'Store accepted passwords',
        help: 'Whether a password that the directory has accepted is stored here too, for when it cannot be reached.',
        group: passwords,
      }),
      sync_users_password: boolean({
        default: true,
        filter: true,
        label: 'Write passwords to the directory',
        help: 'Whether passwords that users change here are written to the directory. Only one source can have this.',
        group: passwords,
      }),
      connectivity: json({
        nullable: true,
        readOnly: true,
        default: null,
        schema: {
          type: 'object',
          additionalProperties: objectSchema({ status: stringSchema, vendor: stringSchema, version: stringSchema }),
        },
        help: 'Whether the servers could be reached when they were last used.',
      }),
    },
    check: checkLdapSource,
    // Read beside the request, and only with mappings: without them there is nothing to take over.
    async afterWrite({ verb, pk, values, call, tx }) {
      const isMapped = values.user_property_mappings.length > 0 || values.group_property_mappings.length > 0;
      if (verb !== 'destroy' && values.enabled && isMapped) await requestRun(needs.jobs(), tx, pk, call.now);
    },
    actions: ldapActions(needs),
  });
}
