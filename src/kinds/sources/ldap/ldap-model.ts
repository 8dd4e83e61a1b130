import type { Registry, Resource } from '../../../resource/resource.ts';
import type { SourceRow } from '../../../source/source.family.ts';

export const ldapSourceModel = 'svc_sources_ldap.ldapsource';
export const ldapMappingModel = 'svc_sources_ldap.ldapsourcepropertymapping';
export const ldapConnectionModel = 'svc_sources_ldap.userldapsourceconnection';
export const ldapGroupConnectionModel = 'svc_sources_ldap.groupldapsourceconnection';

/** A source with all stored values. */
export type LdapSource = SourceRow & {
  readonly server_uri: string;
  readonly peer_certificate: string | null;
  readonly verify_certificates: boolean;
  readonly client_certificate: string | null;
  readonly start_tls: boolean;
  readonly sni: boolean;
  readonly bind_cn: string;
  readonly bind_password: string;
  readonly base_dn: string;
  readonly additional_user_dn: string;
  readonly additional_group_dn: string;
  readonly user_object_filter: string;
  readonly group_object_filter: string;
  readonly group_membership_field: string;
  readonly object_uniqueness_field: string;
  readonly password_login_update_internal_password: boolean;
  readonly sync_users: boolean;
  readonly sync_users_password: boolean;
  readonly sync_groups: boolean;
  readonly sync_parent_group: string | null;
  readonly trust_emails: boolean;
  readonly delete_not_found_objects: boolean;
  readonly deletion_limit: number;
};

/** The resource with typed rows; the registry is untyped. */
export const ldapSourceIn = (registry: Registry) => registry.require(ldapSourceModel) as Resource<LdapSource>;
