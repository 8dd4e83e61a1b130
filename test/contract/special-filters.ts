/**
 * By path, the filters that a fresh object has no value for: they refer to other objects, or to values that only the
 * server sets. The tests of these resources in `test/api` try them.
 */
export const specialFilters: Readonly<Record<string, readonly string[]>> = {
  '/core/users/': [
    ...['is_superuser', 'path_startswith', 'folder', 'groups_by_name', 'groups_by_pk'],
    ...['has_second_factor', 'not_signed_in_since'],
  ],
  '/core/groups/': ['members_by_pk', 'members_by_username'],
  '/rbac/roles/': ['group__name'],
  '/rbac/permissions/': ['content_type__app_label', 'content_type__model', 'user', 'role'],
  '/rbac/permissions/users/': ['user_id'],
  '/rbac/permissions/roles/': ['uuid'],
  '/core/tokens/': ['application', 'managed'],
  '/policies/all/': ['bindings__isnull', 'promptstage__isnull'],
  '/policies/bindings/': ['target_in'],
  '/policies/reputation/scores/': ['identifier_in'],
  '/propertymappings/all/': ['managed'],
  '/propertymappings/notification/': ['managed'],
  '/core/applications/': [
    ...['for_user', 'only_with_launch_url', 'superuser_full_list'],
    ...['flow', 'redirect_uri', 'scope'],
  ],
  '/providers/all/': ['application__isnull', 'backchannel'],
  '/providers/oauth2/': ['application'],
  '/providers/saml/': ['backchannel_application'],
  '/providers/proxy/': [
    ...['application__isnull', 'basic_auth_enabled__iexact', 'internal_host_ssl_validation__iexact'],
    ...['basic_auth_password_attribute__iexact', 'basic_auth_user_attribute__iexact', 'cookie_domain__iexact'],
    ...['external_host__iexact', 'internal_host__iexact', 'mode__iexact', 'name__iexact'],
    ...['property_mappings__iexact', 'skip_path_regex__iexact'],
  ],
  '/providers/ldap/': [
    ...['application__isnull', 'base_dn__iexact', 'gid_start_number__iexact', 'name__iexact'],
    ...['tls_server_name__iexact', 'uid_start_number__iexact'],
  ],
  '/providers/radius/': ['application__isnull', 'client_networks__iexact', 'name__iexact'],
  '/outposts/instances/': [
    ...['managed__icontains', 'managed__iexact', 'name__icontains', 'name__iexact', 'providers_by_pk'],
  ],
  '/crypto/certificatekeypairs/': ['managed', 'has_key', 'include_details'],
  '/flows/bindings/': ['pbm_uuid', 'policies'],
  '/stages/invitation/stages/': ['no_flows'],
  '/stages/authenticator/validate/': ['configuration_stages'],
  '/sources/all/': ['managed'],
  '/sources/oauth/': ['has_jwks'],
  '/sources/saml/': ['managed'],
  '/events/events/': [
    'actions',
    'brand_name',
    'context_authorized_app',
    'context_model_app',
    'context_model_name',
    'context_model_pk',
    'created__gte',
    'created__lt',
    'username',
  ],
  '/events/system_tasks/': ['name', 'uid', 'status'],
};

/** Searched fields without a stored value of that name in samples: their own tests search by them. */
export const unsearchedFields: Readonly<Record<string, readonly string[]>> = {
  // The key.
  '/stages/authenticator/webauthn_device_types/': ['aaguid'],
};
