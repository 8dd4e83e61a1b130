import type { OperationHint, ResourceHint } from './hint.ts';
import { ldapSourceHint } from './ldap-source-hint.ts';
import { secretText } from './sample.ts';
import { idpMetadata, samplePair } from './sample-certificate.ts';

/** A permission on a group, which must be there. */
const sampleJwk = { kty: 'OKP', crv: 'Ed25519', x: 'sample' };
const onGroup: ResourceHint = {
  // No user moves to another object what they do not hold there.
  alsoNeeds: ['svc_core.view_group'],
  columns: async ({ key, permission }) => ({
    permission: await permission('svc_core.view_group'),
    object_pk: await key('svc_core.group'),
  }),
  body: async ({ key }) => ({ object_pk: await key('svc_core.group') }),
};

export const resourceHints: Readonly<Record<string, ResourceHint>> = {
  'svc_core.group': {
    // To make a superuser group takes a superuser.
    body: () => ({ is_superuser: false }),
    // Who is named must be seen, and members of a group are members of its parent.
    alsoNeeds: ['svc_core.view_user', 'svc_core.add_user_to_group'],
  },
  'svc_core.user': { alsoNeeds: ['svc_core.view_group', 'svc_core.add_user_to_group'] },
  // Of app passwords only, and the sample is for the API.
  'svc_core.token': { columns: () => ({ application: null }), body: () => ({ application: null }) },
  // A job that the clean-up has done: one of the kinds that may be run again.
  'svc_events.systemtask': { columns: () => ({ kind: 'job_cleanup', state: 'done' }) },
  'svc_events.event': { body: () => ({ action: 'custom_sample', client_ip: '192.0.2.1' }) },
  'svc_brands.brand': {
    body: () => ({
      ...{ branding_logo: '/static/logo.svg', branding_favicon: '/static/favicon.svg' },
      branding_default_flow_background: '/static/flow-background.svg',
    }),
  },
  // Only superusers let mappings read tokens of other services; the tests of renewal do.
  'svc_providers_oauth2.scopemapping': { body: () => ({ token_sources: undefined }) },
  // A client's keys are named by value or by address.
  'svc_providers_oauth2.oauth2provider': {
    body: () => ({ jwks: { keys: [sampleJwk] }, jwks_uri: '', resources: [], audience_clients: [] }),
  },
  // Issuers are for superusers, and two providers with one key have an audience each.
  'svc_providers_saml.samlprovider': {
    body: ({ number }) => ({ issuer: 'gatehouse', audience: `https://sp-${number}.example.com/metadata` }),
  },
  'svc_core.application': { body: () => ({ meta_launch_url: 'https://example.com/' }) },
  'svc_rbac.userobjectpermission': onGroup,
  'svc_rbac.roleobjectpermission': onGroup,
  'svc_crypto.certificatekeypair': {
    body: async () => {
      const { certificate, key } = await samplePair();
      return { certificate_data: certificate, key_data: key };
    },
  },
  'svc_policies.policybinding': {
    body: async ({ key }) => ({
      policy: await key('svc_policies.policy'),
      group: undefined,
      user: undefined,
      target: await key('svc_events.notificationrule'),
    }),
    alsoRequired: ['policy'],
    // A binding needs the right to change what it is bound to, and to see what it binds.
    alsoNeeds: ['svc_events.change_notificationrule', 'svc_events.view_event', 'svc_policies.view_policy'],
  },
  // Changing where data is sent takes permission to view it.
  'svc_events.notificationrule': { alsoNeeds: ['svc_events.view_event', 'svc_core.view_group'] },
  'svc_events.notificationtransport': { alsoNeeds: ['svc_events.view_event'] },
  ...Object.fromEntries(
    [
      'svc_providers_scim.scimprovider',
      'svc_providers_cloud_directory.clouddirectoryprovider',
      'svc_providers_workspace_directory.workspacedirectoryprovider',
    ].flatMap((model): [string, ResourceHint][] => [
      [model, { alsoNeeds: ['svc_core.view_user', 'svc_core.view_group'] }],
      [`${model}user`, { alsoNeeds: ['svc_core.view_user', model.replace('.', '.change_')] }],
      [`${model}group`, { alsoNeeds: ['svc_core.view_group', model.replace('.', '.change_')] }],
    ]),
  ),
  'svc_stages_authenticator_twofactor.authenticatortwofactorstage': {
    body: ({ number }) => ({ api_hostname: `api-${number}.example.com` }),
  },
  'svc_stages_source.sourcestage': {
    body: async ({ key }) => ({ source: await key('svc_sources_mediasrc.mediasrcsource') }),
  },
  'svc_stages_email.emailstage': { body: () => ({ template: 'email/password_reset.html', use_ssl: false }) },
  'svc_policies_reputation.reputationpolicy': { body: () => ({ check_ip: true }) },
  'svc_outposts.outpost': {
    body: async ({ key }) => ({
      type: 'proxy',
      providers: [await key('svc_providers_proxy.proxyprovider')],
    }),
    alsoNeeds: ['svc_providers_proxy.change_proxyprovider', 'svc_outposts.view_outpostserviceconnection'],
  },
  'svc_sources_ldap.ldapsource': ldapSourceHint,
  'svc_providers_ldap.ldapprovider': {
    body: ({ number }) => ({
      base_dn: `DC=ldap,DC=example${number}`,
      tls_server_name: `ldap-${number}.example.com`,
      published_attributes: [],
    }),
  },
  'svc_providers_radius.radiusprovider': {
    body: ({ number }) => ({
      client_networks: `10.${number >> 8}.${number & 255}.0/24`,
      client_ca: undefined,
      radsec_ca: undefined,
    }),
  },
  // Only superusers have the server connect to an internal host.
  'svc_providers_proxy.proxyprovider': {
    body: ({ number }) => ({
      mode: 'forward_single',
      external_host: `https://app-${number}.example.com`,
      internal_host: '',
      internal_host_ssl_validation: true,
      cookie_domain: '',
      skip_path_regex: '^/public/',
    }),
    alsoRequired: ['mode'],
  },
  'svc_outposts.clusterserviceconnection': {
    body: ({ number }) => ({
      kubeconfig: {
        'current-context': 'sample',
        contexts: [{ name: 'sample', context: { cluster: 'sample', user: 'sample' } }],
        clusters: [{ name: 'sample', cluster: { server: 'https://cluster.example.com' } }],
        users: [{ name: 'sample', user: { token: secretText(number) } }],
      },
    }),
    alsoRequired: ['kubeconfig'],
  },
};

const imageUrl: OperationHint = { body: () => ({ url: 'https://example.com/image.svg' }) };
const needsView: OperationHint = {
  params: async () => ({ view_uuid: '00000000-0000-4000-8000-000000000000' }),
  undrivable: 'takes a view of the caller; its own tests save one',
};
const needsMediaServer: OperationHint = { undrivable: 'asks a media server; its own tests run one' };
const sendsNothing: OperationHint = { events: { count: 0, why: 'the sample has no application, so nothing is sent' } };
const needsApplication: OperationHint = { undrivable: 'takes an application of the provider; its own tests make one' };
const afterTest: OperationHint = { undrivable: 'follows a test sign-in; its own tests go through one' };
const showsSecret: OperationHint = { events: { count: 1, why: 'whoever reads a secret is written down' } };
const onlyTries = { count: 0, why: 'it tries something out and keeps nothing' };
const settings: OperationHint = {
  body: () => ({ avatars: 'initials', event_retention: 'days=30', default_token_duration: 'days=1' }),
};
const member: OperationHint = {
  body: async ({ key }) => ({ pk: await key('svc_core.user') }),
  alsoNeeds: ['svc_core.view_user'],
};
const permissions: OperationHint['body'] = () => ({ permissions: ['svc_core.view_group'] });
const ofUser: OperationHint = {
  params: async ({ key }) => ({ id: String(await key('svc_core.user')) }),
  body: permissions,
};
const ofRole: OperationHint = {
  params: async ({ key }) => ({ uuid: String(await key('svc_rbac.role')) }),
  body: permissions,
};
const connection = (sourceModel: string, to: 'user' | 'group'): OperationHint => ({
  alsoNeeds: [`svc_core.change_${to}`, sourceModel.replace('.', '.change_')],
  body: async ({ number, key }) => ({
    identifier: `identifier-${number}`,
    source: await key(sourceModel),
    [to]: await key(`svc_core.${to}`),
    plex_token: `token-${number}`,
    access_token: `token-${number}`,
  }),
});

const signInFlow = async () => ({ flow_slug: 'default-authentication-flow' });

export const operationHints: Readonly<Record<string, OperationHint>> = {
  admin_page_retrieve: { query: 'path=/core/groups/' },
  outposts_ldap_access_check: needsApplication,
  outposts_radius_access_check: needsApplication,
  admin_mail_test_create: { undrivable: 'sends a mail; its own tests run a mail server' },
  admin_views_create: {
    body: ({ number }) => ({ list: '/core/users/', name: `view-${number}` }),
    events: { count: 0, why: 'a view is for the pages of one user' },
  },
  admin_views_update: needsView,
  admin_views_destroy: needsView,
  admin_overview_checklist_update: {
    events: { count: 0, why: 'what somebody wants to see is nobody else’s business' },
  },
  admin_server_settings_partial_update: {
    body: () => ({
      ...{ public_url: 'https://id.example.com', smtp_host: 'mail.example.com', smtp_from: 'id@example.com' },
    }),
  },
  admin_settings_partial_update: settings,
  admin_settings_update: settings,
  admin_system_create: { events: { count: 0, why: 'it answers as GET does and changes nothing' } },
  core_tokens_set_key_create: { body: ({ number }) => ({ key: secretText(number).padEnd(40, 'x') }) },
  core_applications_set_icon_url_create: imageUrl,
  core_applications_duplicate_create: {
    body: ({ number }) => ({ name: `copy ${number}`, slug: `copy-${number}` }),
    alsoNeeds: ['svc_core.add_application'],
    events: { count: 2, why: 'one for the application and one for its provider' },
  },
  admin_bulk_create: {
    body: async ({ number, key }) => ({
      writes: [{ path: `/core/groups/${await key('svc_core.group')}/`, changes: { attributes: { number } } }],
    }),
  },
  flows_instances_order_create: {
    body: () => ({ bindings: [], seen: null }),
    events: { count: 0, why: 'the sample has no stages that could move' },
  },
  flows_second_factor_update: {
    body: async ({ key }) => ({ require: 'groups', groups: [await key('svc_core.group')] }),
    events: {
      count: 6,
      why: 'the stage, its binding and the group in each of two flows, and the login that moves on from the first place',
    },
  },
  flows_ready_made_update: { params: async () => ({ name: 'invitation' }), body: () => ({ is_on: false }) },
  core_groups_add_user_create: member,
  core_groups_remove_user_create: member,
  core_tokens_view_key_retrieve: showsSecret,
  core_users_impersonate_create: { undrivable: 'is for browsers, not for tokens; its own tests sign in' },
  core_users_recovery_create: { undrivable: 'takes a flow to recover by; its own tests make one' },
  core_users_recovery_email_create: { undrivable: 'takes a flow to recover by; its own tests make one' },
  stages_invitation_invitations_send_email_create: { undrivable: 'sends a mail; its own tests run a mail server' },
  core_users_metrics_retrieve: { alsoNeeds: ['svc_events.view_event'] },
  core_users_rights_retrieve: { alsoNeeds: ['svc_rbac.view_role', 'svc_core.view_group'] },
  core_users_service_account_create: { alsoNeeds: ['svc_core.add_token', 'svc_core.add_group'] },
  core_transactional_applications_update: {
    body: async ({ number, key }) => ({
      app: { name: `name ${number}`, slug: `slug-${number}` },
      provider_model: 'svc_providers_oauth2.oauth2provider',
      provider: { name: `name ${number}`, authorization_flow: await key('svc_flows.flow'), redirect_uris: [] },
    }),
    events: { count: 2, why: 'one for the application and one for its provider' },
  },
  events_rules_from_event_create: {
    body: async ({ number, key }) => ({
      event: await key('svc_events.event'),
      name: `name ${number}`,
      group: await key('svc_core.group'),
    }),
    events: { count: 3, why: 'one each for the rule, its policy and their binding' },
  },
  flows_executor_get: { params: signInFlow },
  flows_inspector_get: { params: signInFlow, undrivable: 'shows a walk that is under way; its own tests walk' },
  flows_instances_import_create: { undrivable: 'takes a blueprint; its own tests export one' },
  flows_executor_solve: {
    params: signInFlow,
    body: () => ({ component: 'xak-stage-identification', uid_field: 'somebody' }),
    events: { count: 0, why: 'what a stage does is recorded, not that somebody answers' },
  },
  providers_oauth2_rotate_secret_create: { body: () => ({ previous_valid_for: 'hours=1' }) },
  crypto_certificatekeypairs_generate_create: {
    body: ({ number }) => ({ common_name: `generated-${number}`, validity_days: 30, alg: 'ecdsa' }),
  },
  crypto_certificatekeypairs_view_certificate_retrieve: showsSecret,
  crypto_certificatekeypairs_view_private_key_retrieve: showsSecret,
  flows_instances_set_background_url_create: imageUrl,
  policies_explain_retrieve: { undrivable: 'takes a user and a target; its own tests make both' },
  policies_all_test_create: {
    body: async ({ key }) => ({ user: await key('svc_core.user'), context: {} }),
    events: onlyTries,
    alsoNeeds: ['svc_core.view_user'],
  },
  propertymappings_all_test_create: {
    body: async ({ key }) => ({ user: await key('svc_core.user'), context: {} }),
    events: onlyTries,
    alsoNeeds: ['svc_core.view_user'],
  },
  providers_saml_import_metadata_create: { undrivable: 'takes metadata and an authorization flow; its own tests do' },
  rbac_permissions_assigned_by_roles_assign: ofRole,
  rbac_permissions_assigned_by_roles_list: { query: 'model=svc_core.group' },
  rbac_permissions_assigned_by_roles_unassign_partial_update: ofRole,
  rbac_permissions_assigned_by_users_assign: ofUser,
  rbac_permissions_assigned_by_users_list: { query: 'model=svc_core.group' },
  rbac_permissions_assigned_by_users_unassign_partial_update: ofUser,
  sources_all_set_icon_url_create: imageUrl,
  sources_group_connections_ldap_create: connection('svc_sources_ldap.ldapsource', 'group'),
  sources_user_connections_ldap_create: connection('svc_sources_ldap.ldapsource', 'user'),
  sources_ldap_debug_retrieve: { undrivable: 'reads a directory; its own tests run one' },
  sources_ldap_sync_run_create: {
    body: () => ({ preview: true }),
    alsoNeeds: ['svc_core.view_user', 'svc_core.view_group'],
  },
  sources_group_connections_mediasrc_create: connection('svc_sources_mediasrc.mediasrcsource', 'group'),
  sources_group_connections_oauth_create: connection('svc_sources_oauth.oauthsource', 'group'),
  sources_mediasrc_redeem_token_authenticated_create: needsMediaServer,
  sources_mediasrc_redeem_token_create: needsMediaServer,
  sources_user_connections_mediasrc_create: connection('svc_sources_mediasrc.mediasrcsource', 'user'),
  sources_user_connections_oauth_create: connection('svc_sources_oauth.oauthsource', 'user'),
  sources_saml_create_from_metadata: {
    body: async ({ number, key }) => ({
      name: `imported ${number}`,
      slug: `imported-${number}`,
      pre_authentication_flow: await key('svc_flows.flow'),
      metadata: await idpMetadata(),
    }),
    events: { count: 2, why: 'it makes a certificate and a source' },
    alsoNeeds: ['svc_crypto.add_certificatekeypair'],
  },
  sources_saml_import_metadata_create: {
    body: async () => ({ metadata: await idpMetadata() }),
    events: { count: 2, why: 'it makes a certificate and changes the source' },
  },
  sources_user_connections_saml_create: connection('svc_sources_saml.samlsource', 'user'),
  stages_authenticator_twofactor_enrollment_status_create: {
    events: { count: 0, why: 'it asks how far an activation has come and changes nothing' },
  },
  stages_authenticator_twofactor_import_device_manual_create: {
    undrivable: 'takes the name of a user; its own tests make one',
  },
  stages_authenticator_twofactor_import_devices_automatic_create: {
    undrivable: 'asks a push service; its own tests run one',
  },
  stages_prompt_prompts_preview_create: {
    body: ({ number }) => ({ name: `name ${number}`, field_key: 'sample', label: 'Sample', type: 'text', order: 1 }),
    events: onlyTries,
  },
  providers_proxy_test_proxy_create: { body: () => ({}), events: onlyTries },
  providers_oauth2_test_sign_in_create: afterTest,
  providers_saml_test_sign_in_create: afterTest,
  providers_cloud_directory_sync_object_create: sendsNothing,
  providers_cloud_directory_sync_run_create: needsApplication,
  providers_scim_sync_object_create: sendsNothing,
  providers_scim_sync_run_create: needsApplication,
  providers_workspace_directory_sync_object_create: sendsNothing,
  providers_workspace_directory_sync_run_create: needsApplication,
};
