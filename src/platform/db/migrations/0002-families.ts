import type { Dialect } from '../dialect.ts';
import type { Migration } from '../migrate.ts';
import { createJoin, createTable } from '../table.ts';

/** The base tables of each family, and the objects that kinds of every family refer to. */
export const families: Migration = {
  name: '0002-families',
  statements: (dialect) => [
    ...policies(dialect),
    ...flows(dialect),
    ...createTable(dialect, 'property_mappings', {
      pk: 'uuid key',
      kind: 'text index',
      name: 'text unique',
      managed: 'text? unique',
      expression: 'text',
    }),
    ...createTable(dialect, 'certificates', {
      pk: 'uuid key',
      name: 'text unique',
      certificate_data: 'text',
      key_data: 'text',
      managed: 'text? unique',
    }),
    ...sources(dialect),
    ...providers(dialect),
    ...createTable(dialect, 'service_connections', {
      pk: 'uuid key',
      kind: 'text index',
      name: 'text unique',
      local: 'bool index',
    }),
    ...brands(dialect),
    ...notifications(dialect),
  ],
};

function policies(dialect: Dialect): string[] {
  return [
    ...createTable(dialect, 'policies', {
      pk: 'uuid key',
      kind: 'text index',
      name: 'text unique',
      execution_logging: 'bool',
      created: 'time index',
      last_updated: 'time index',
    }),
    ...createTable(
      dialect,
      'policy_bindings',
      {
        pk: 'uuid key',
        target: 'uuid -> policy_targets cascade',
        policy: 'uuid? -> policies cascade',
        group: 'uuid? -> groups cascade',
        user: 'int? -> users cascade',
        negate: 'bool',
        enabled: 'bool',
        order: 'int index',
        timeout: 'int index',
        failure_result: 'bool',
      },
      { unique: [['policy', 'target', 'order']] },
    ),
  ];
}

function flows(dialect: Dialect): string[] {
  return [
    ...createTable(dialect, 'flows', {
      pk: 'uuid key',
      policybindingmodel_ptr_id: 'uuid unique -> policy_targets cascade',
      name: 'text index',
      slug: 'text unique',
      title: 'text',
      designation: 'text index',
      background: 'text',
      policy_engine_mode: 'text',
      compatibility_mode: 'bool',
      layout: 'text',
      denied_action: 'text index',
      authentication: 'text',
    }),
    ...dialect.dropAlong('flows', 'policybindingmodel_ptr_id', 'policy_targets'),
    ...createTable(dialect, 'stages', { pk: 'uuid key', kind: 'text index', name: 'text unique' }),
    ...createTable(
      dialect,
      'flow_stage_bindings',
      {
        pk: 'uuid key',
        policybindingmodel_ptr_id: 'uuid unique -> policy_targets cascade',
        target: 'uuid -> flows cascade',
        stage: 'uuid -> stages cascade',
        evaluate_on_plan: 'bool index',
        re_evaluate_policies: 'bool index',
        order: 'int index',
        policy_engine_mode: 'text index',
        invalid_response_action: 'text index',
      },
      { unique: [['target', 'stage', 'order']], index: [['target', 'order']] },
    ),
    ...dialect.dropAlong('flow_stage_bindings', 'policybindingmodel_ptr_id', 'policy_targets'),
  ];
}

function sources(dialect: Dialect): string[] {
  return [
    ...createTable(dialect, 'sources', {
      pk: 'uuid key -> policy_targets cascade',
      kind: 'text index',
      name: 'text index',
      slug: 'text unique',
      enabled: 'bool',
      authentication_flow: 'uuid? -> flows set null',
      enrollment_flow: 'uuid? -> flows set null',
      policy_engine_mode: 'text',
      user_matching_mode: 'text',
      group_matching_mode: 'text',
      managed: 'text? unique',
      user_path_template: 'text',
      icon: 'text',
    }),
    ...dialect.dropAlong('sources', 'pk', 'policy_targets'),
    ...createJoin(
      dialect,
      'source_user_property_mappings',
      ['source', 'uuid', 'sources'],
      ['mapping', 'uuid', 'property_mappings'],
    ),
    ...createJoin(
      dialect,
      'source_group_property_mappings',
      ['source', 'uuid', 'sources'],
      ['mapping', 'uuid', 'property_mappings'],
    ),
  ];
}

function providers(dialect: Dialect): string[] {
  return [
    ...createTable(dialect, 'providers', {
      pk: 'serial',
      kind: 'text index',
      name: 'text unique',
      authentication_flow: 'uuid? -> flows set null',
      authorization_flow: 'uuid? -> flows cascade',
      is_backchannel: 'bool index',
      launch_url: 'text',
    }),
    ...createJoin(
      dialect,
      'provider_property_mappings',
      ['provider', 'int', 'providers'],
      ['mapping', 'uuid', 'property_mappings'],
    ),
    ...createTable(dialect, 'applications', {
      pk: 'uuid key -> policy_targets cascade',
      name: 'text index',
      slug: 'text unique',
      provider: 'int? unique -> providers set null',
      open_in_new_tab: 'bool',
      meta_launch_url: 'text index',
      meta_icon: 'text',
      meta_description: 'text index',
      meta_publisher: 'text index',
      policy_engine_mode: 'text',
      group: 'text index',
    }),
    ...dialect.dropAlong('applications', 'pk', 'policy_targets'),
    ...createJoin(
      dialect,
      'application_backchannel_providers',
      ['application', 'uuid', 'applications'],
      ['provider', 'int', 'providers'],
    ),
  ];
}

function brands(dialect: Dialect): string[] {
  const flow = 'uuid? -> flows set null';
  return createTable(dialect, 'brands', {
    pk: 'uuid key',
    domain: 'text unique',
    default: 'bool index',
    branding_title: 'text index',
    branding_logo: 'text index',
    branding_favicon: 'text index',
    flow_authentication: flow,
    flow_invalidation: flow,
    flow_recovery: flow,
    flow_unenrollment: flow,
    flow_user_settings: flow,
    flow_device_code: flow,
    default_application: 'uuid? -> applications set null',
    web_certificate: 'uuid? -> certificates set null',
    attributes: 'json',
  });
}

function notifications(dialect: Dialect): string[] {
  return [
    ...createTable(dialect, 'notification_transports', {
      pk: 'uuid key',
      name: 'text unique',
      mode: 'text index',
      webhook_url: 'text',
      webhook_mapping: 'uuid? -> property_mappings set null',
      send_once: 'bool',
    }),
    ...createTable(dialect, 'notification_rules', {
      pk: 'uuid key -> policy_targets cascade',
      name: 'text unique',
      severity: 'text index',
      group: 'uuid? -> groups set null',
    }),
    ...dialect.dropAlong('notification_rules', 'pk', 'policy_targets'),
    ...createJoin(
      dialect,
      'notification_rule_transports',
      ['rule', 'uuid', 'notification_rules'],
      ['transport', 'uuid', 'notification_transports'],
    ),
    ...createTable(
      dialect,
      'notifications',
      {
        pk: 'uuid key',
        severity: 'text index',
        body: 'text',
        created: 'time index',
        event: 'uuid? -> events set null',
        user: 'int -> users cascade',
        seen: 'bool index',
      },
      { index: [['user', 'seen', 'created']] },
    ),
  ];
}
