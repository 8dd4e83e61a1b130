import type { Outdated } from '../core/cleanup/delete-in-batches.ts';
import { ownExpiring } from './job-kinds.ts';
import type { Kinds } from './kinds.ts';

const ownTables = [
  ...['users', 'user_groups', 'user_permissions', 'user_permission_keys', 'user_object_permissions', 'tokens'],
  ...['user_deletions', 'user_dismissals', 'user_source_connections', 'group_source_connections', 'temporary_users'],
  ...['devices', 'event_rollup', 'event_rollup_state', 'unmatched_events', 'notifications', 'jobs', 'job_workers'],
  ...['sync_changes', 'sync_objects', 'sync_runs', 'sync_targets'],
  ...['outpost_deployments', 'connection_states', 'saved_views'],
  ...['bootstrap_steps', 'install', 'migrations', 'stamps'],
];

const tablesOf = (expiring: readonly Outdated[] = []) => expiring.map(({ table }) => table);

/** Tables that change with what users do. A change of any other invalidates cached configuration on PostgreSQL. */
export const uncachedTablesOf = ({ all, deviceKinds, providerKinds }: Kinds): string[] => [
  ...ownTables,
  ...tablesOf(ownExpiring),
  ...all.flatMap(({ expiring, uncachedTables = [] }) => [...tablesOf(expiring), ...uncachedTables]),
  ...deviceKinds.map(({ deviceResources }) => deviceResources.own.table),
  ...providerKinds.flatMap(({ sync }) => (sync ? [sync.links.user.table, sync.links.group.table] : [])),
];
