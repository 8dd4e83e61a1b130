import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { migrations } from '../platform/db/migrations/all.ts';
import { sqliteDialect } from '../platform/db/sqlite/dialect.ts';

/** Which layer owns which tables. All others belong to the one kind that names them. */
const owned: Readonly<Record<string, readonly string[]>> = {
  platform: ['job_workers', 'jobs', 'shared_counts', 'stamps'],
  core: [
    ...[
      'users',
      'groups',
      'user_groups',
      'group_ancestors',
      'roles',
      'group_roles',
      'permissions',
      'user_permissions',
      'role_permissions',
      'user_permission_keys',
      'role_permission_keys',
    ],
    ...['user_object_permissions', 'role_object_permissions', 'tokens', 'authenticated_sessions', 'sign_in_attempts'],
    ...['events', 'settings', 'property_mappings', 'certificates', 'applications', 'application_backchannel_providers'],
    ...['service_connections', 'brands', 'media', 'user_consents', 'user_deletions'],
    ...['event_rollup', 'event_rollup_state', 'server_settings', 'connection_states', 'outpost_deployments'],
    'saved_views',
  ],
  policy: ['policy_targets', 'policies', 'policy_bindings', 'policy_validations'],
  flow: ['flows', 'stages', 'flow_stage_bindings', 'flow_plans', 'flow_links', 'devices'],
  source: [
    ...['sources', 'source_user_property_mappings', 'source_group_property_mappings'],
    ...['user_source_connections', 'group_source_connections', 'source_visits', 'temporary_users'],
  ],
  provider: [
    ...['providers', 'provider_property_mappings', 'authorization_requests', 'outposts', 'outpost_providers'],
    'outpost_instances',
    ...['sync_objects', 'sync_changes', 'sync_targets', 'sync_runs'],
    // Clients by OAuth2 and proxies have scopes.
    'mapping_scope',
    // Kinds that push users and groups name them by their path alone.
    ...['scim', 'workspace_directory', 'cloud_directory'].flatMap((path) => [
      ...[`provider_${path}`, `provider_${path}_group_mappings`, `mapping_${path}`],
      ...[`${path}_users`, `${path}_groups`],
    ]),
  ],
  notify: [
    ...['notification_transports', 'notification_rules', 'notification_rule_transports', 'notifications'],
    'unmatched_events',
  ],
  app: ['install', 'bootstrap_steps', 'user_dismissals'],
};

const root = fileURLToPath(new URL('../', import.meta.url));
const ranks = ['lib', 'platform', 'resource', 'core', 'policy', 'flow', 'source', 'kinds', 'app'];
const rankOf = (layer: string) => ranks.indexOf(layer === 'provider' || layer === 'notify' ? 'source' : layer);
const tables = new Set(
  migrations.flatMap(({ statements }) =>
    statements(sqliteDialect).flatMap((text) => /^create table "?(?!\w+_rebuilt\b)(\w+)/i.exec(text)?.[1] ?? []),
  ),
);
const ownerOf = new Map(Object.entries(owned).flatMap(([layer, names]) => names.map((name) => [name, layer])));

/** A table after a word of SQL, or as a declaration has it. Comments are no statements. */
const naming = /\b(?:from|join|into|update|table|tables|exists|expired\w*)\s*[:(]?\s*\[?["'(]?(\w+)\b/g;
const withoutComments = (text: string) => text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
const holdsStatements = (text: string) => /from 'kysely'|\btable\b|\bexpired/.test(text);

interface Naming {
  readonly layer: string;
  /** The folder of a kind, else the layer. */
  readonly folder: string;
  readonly table: string;
}

const namings: Naming[] = readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts'))
  .map((entry) => join(entry.parentPath, entry.name))
  .filter((path) => !path.includes('/migrations/'))
  .flatMap((path) => {
    const [layer = '', family, kind] = relative(root, path).split('/');
    const folder = layer === 'kinds' ? `${layer}/${family}/${kind}` : layer;
    const text = withoutComments(readFileSync(path, 'utf8'));
    return [...(holdsStatements(text) ? text.matchAll(naming) : [])]
      .map((match) => match[1] ?? '')
      .filter((table) => tables.has(table))
      .map((table) => ({ layer, folder, table }));
  });

test('statements name no tables of layers above their own', () => {
  const found = namings
    .filter(({ layer, table }) => rankOf(ownerOf.get(table) ?? 'kinds') > rankOf(layer))
    .map(({ layer, table }) => `${layer} names ${table}`);
  expect([...new Set(found)].sort()).toEqual([]);
});

test('a kind’s tables are named by that kind, and by the app at most', () => {
  const found: string[] = [];
  for (const table of tables) {
    if (ownerOf.has(table)) continue;
    const folders = [...new Set(namings.filter((naming) => naming.table === table).map(({ folder }) => folder))];
    const kinds = folders.filter((folder) => folder.startsWith('kinds/'));
    if (kinds.length !== 1) found.push(`${table} is named by ${kinds.join(', ') || 'no kind'}`);
  }
  expect(found).toEqual([]);
});

test('every table that a layer owns exists', () => {
  expect([...ownerOf.keys()].filter((table) => !tables.has(table))).toEqual([]);
});
