import type { Dialect } from '../dialect.ts';
import type { Migration } from '../migrate.ts';
import { createJoin, createTable } from '../table.ts';

/**
 * State of outgoing sync, the outbox that triggers fill, and providers that push to SCIM servers and cloud directories.
 */
export const outgoingSync: Migration = {
  name: '0032-outgoing-sync',
  statements: (dialect) => [
    ...engine(dialect),
    ...scim(dialect),
    ...cloudDirectory(dialect),
    ...knownLinks(dialect),
    ...outbox(dialect),
    // Workers are counted to share the bulk lane; many jobs may wait for one receiver.
    ...createTable(dialect, 'job_workers', { pk: 'uuid key', seen: 'time' }),
    'drop index "jobs_alone_state"',
    'create index "jobs_alone_state_run_at_pk" on "jobs" ("alone", "state", "run_at", "pk")',
  ],
};

function engine(dialect: Dialect): string[] {
  return [
    // One row for each object that a provider has sent or has to send. No foreign key to the object: after its deletion
    // here it still has to be deleted there. The age of an object at the target says how long a 404 may be a delay
    // there.
    ...createTable(
      dialect,
      'sync_objects',
      {
        pk: 'uuid key',
        provider: 'int -> providers cascade',
        user: 'int?',
        group: 'uuid?',
        remote_id: 'text?',
        attributes: "json default '{}'",
        members: 'json?',
        digest: 'text?',
        is_sending: 'bool default false',
        pending: 'int default 0',
        due: 'time?',
        attempts: 'int default 0',
        error: "text default ''",
        requests: "json default '[]'",
        last_sent: 'time?',
        created: 'time?',
        seen_in: 'uuid?',
      },
      {
        unique: [
          ['provider', 'user'],
          ['provider', 'group'],
        ],
        index: [['provider', 'remote_id']],
        sparse: { due: [['provider', 'due']] },
      },
    ),
    ...createTable(dialect, 'sync_changes', { pk: 'serial', user: 'int?', group: 'uuid?' }),
    ...createTable(dialect, 'sync_targets', {
      provider: 'int key -> providers cascade',
      paused_until: 'time?',
      failures: 'int default 0',
      message: "text default ''",
      // The target at which the links of this provider were created.
      destination: 'text?',
    }),
    ...createTable(
      dialect,
      'sync_runs',
      {
        pk: 'uuid key',
        provider: 'int -> providers cascade',
        state: 'text',
        phase: 'text',
        position: "text default ''",
        total: 'int default 0',
        done: 'int default 0',
        failed: 'int default 0',
        message: "text default ''",
        started: 'time',
        finished: 'time?',
      },
      { index: [['provider', 'started']] },
    ),
  ];
}

function scim(dialect: Dialect): string[] {
  return [
    ...createTable(dialect, 'mapping_scim', { pk: 'uuid key -> property_mappings cascade' }),
    ...createTable(dialect, 'provider_scim', {
      pk: 'int key -> providers cascade',
      url: 'text index',
      token: 'text',
      exclude_users_service_account: 'bool index',
      filter_group: 'uuid? -> groups set null',
      compatibility_mode: "text default 'default'",
    }),
    ...groupMappings(dialect, 'provider_scim'),
    ...links(dialect, 'scim', 'scim_id', 'provider_scim', {}),
  ];
}

function cloudDirectory(dialect: Dialect): string[] {
  return [
    ...createTable(dialect, 'mapping_cloud_directory', { pk: 'uuid key -> property_mappings cascade' }),
    ...createTable(dialect, 'provider_cloud_directory', {
      pk: 'int key -> providers cascade',
      client_id: 'text',
      client_secret: 'text',
      tenant_id: 'text',
      login_url: 'text',
      graph_url: 'text',
      exclude_users_service_account: 'bool index',
      filter_group: 'uuid? -> groups set null',
      user_delete_action: 'text',
      group_delete_action: 'text',
    }),
    ...groupMappings(dialect, 'provider_cloud_directory'),
    ...links(dialect, 'cloud_directory', 'microsoft_id', 'provider_cloud_directory', { attributes: 'json' }),
  ];
}

const groupMappings = (dialect: Dialect, provider: string): string[] =>
  createJoin(
    dialect,
    `${provider}_group_mappings`,
    ['provider', 'int', provider],
    ['mapping', 'uuid', 'property_mappings'],
    { position: 'int default 0' },
  );

function links(dialect: Dialect, name: string, id: string, provider: string, more: Record<string, string>): string[] {
  const table = (plural: string, member: string, type: string) =>
    createTable(
      dialect,
      `${name}_${plural}`,
      {
        pk: 'uuid key',
        [id]: 'text',
        [member]: `${type} -> ${plural} cascade`,
        provider: `int -> ${provider} cascade`,
        ...more,
      },
      { unique: [[id, member, 'provider']] },
    );
  return [...table('users', 'user', 'int'), ...table('groups', 'group', 'uuid')];
}

/** Links that administrators have created by hand. */
const knownLinks = ({ name }: Dialect): string[] =>
  (['user', 'group'] as const).map(
    (member) => `insert into sync_objects (pk, provider, "${member}", remote_id, attributes)
      select pk, provider, "${member}", google_id, attributes from workspace_directory_${member}s ${name === 'sqlite' ? 'where true' : ''}
      on conflict do nothing`,
  );

/**
 * Every change of users, groups or memberships adds to the outbox in its transaction, if any provider pushes. Columns
 * that a sign-in updates are left out. On PostgreSQL the trigger also wakes the worker; notifications serialize
 * commits, which is acceptable because users and groups rarely change.
 */
function outbox(dialect: Dialect): string[] {
  const users = ['uuid', 'username', 'name', 'email', 'is_active', 'path', 'type', 'attributes'];
  const groups = ['name', 'is_superuser', 'parent', 'attributes'];
  return [
    ...trigger(dialect, 'users', 'insert', { user: 'new.pk' }),
    ...trigger(dialect, 'users', `update of ${quoted(users)}`, { user: 'new.pk' }),
    ...trigger(dialect, 'users', 'delete', { user: 'old.pk' }),
    ...trigger(dialect, 'groups', 'insert', { group: 'new.pk' }),
    ...trigger(dialect, 'groups', `update of ${quoted(groups)}`, { group: 'new.pk' }),
    ...trigger(dialect, 'groups', 'delete', { group: 'old.pk' }),
    ...trigger(dialect, 'user_groups', 'insert', { user: 'new."user"', group: 'new."group"' }),
    ...trigger(dialect, 'user_groups', 'delete', { user: 'old."user"', group: 'old."group"' }),
  ];
}

function trigger(dialect: Dialect, table: string, event: string, values: Record<string, string>): string[] {
  const name = `sync_${table}_${event.split(' ')[0]}`;
  const insert = `insert into sync_changes (${quoted(Object.keys(values))}) values (${Object.values(values).join(', ')});`;
  const isWanted = 'exists (select 1 from providers where is_backchannel)';
  if (dialect.name === 'sqlite') {
    return [`create trigger ${name} after ${event} on ${table} when ${isWanted} begin ${insert} end`];
  }
  return [
    `create function ${name}() returns trigger language plpgsql as $$ begin if ${isWanted} then ${insert} perform pg_notify('gatehouse_jobs', ''); end if; return null; end $$`,
    `create trigger ${name} after ${event} on ${table} for each row execute function ${name}()`,
  ];
}

const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ');
