import { sql } from 'kysely';
import { isJsonObject } from '../../lib/json.ts';
import type { Database, Query } from '../../platform/db/database.ts';
import type { Endpoint } from '../../resource/endpoint.ts';
import type { Fields } from '../../resource/fields/field.ts';
import { isRef } from '../../resource/fields/ref.ts';
import { secretsOf } from '../../resource/read/plan.ts';
import type { Resource } from '../../resource/resource.ts';
import { modelNames } from './models.ts';

export interface Permission {
  readonly app_label: string;
  readonly codename: string;
  /** Without the app. */
  readonly model: string;
  readonly name: string;
}

/** Permissions other than add, change, delete and view. */
const furtherPermissions: readonly (readonly [model: string, codename: string, name: string])[] = [
  ['svc_core.user', 'reset_user_password', 'Reset Password'],
  ['svc_core.user', 'reset_user_second_factors', 'Reset Second Factors'],
  ['svc_core.user', 'impersonate', 'Can impersonate other users'],
  ['svc_core.user', 'assign_user_permissions', 'Can assign permissions to users'],
  ['svc_core.user', 'unassign_user_permissions', 'Can unassign permissions from users'],
  ['svc_core.user', 'preview_user', 'Can preview user data sent to providers'],
  ['svc_core.user', 'view_user_applications', 'View applications the user has access to'],
  ['svc_core.group', 'add_user_to_group', 'Add user to group'],
  ['svc_core.group', 'remove_user_from_group', 'Remove user from group'],
  ['svc_core.token', 'view_token_key', 'View token’s key'],
  ['svc_rbac.role', 'assign_role_permissions', 'Can assign permissions to roles'],
  ['svc_rbac.role', 'unassign_role_permissions', 'Can unassign permissions from roles'],
  ['svc_flows.flow', 'export_flow', 'Can export a Flow'],
  ['svc_flows.flow', 'inspect_flow', 'Can inspect a Flow’s execution'],
  ['svc_flows.flow', 'view_flow_cache', 'View Flow’s cache metrics'],
  ['svc_flows.flow', 'clear_flow_cache', 'Clear Flow’s cache'],
  ['svc_policies.policy', 'view_policy_cache', 'View Policy’s cache metrics'],
  ['svc_policies.policy', 'clear_policy_cache', 'Clear Policy’s cache'],
  ['svc_providers_ldap.ldapprovider', 'search_full_directory', 'Search full LDAP directory'],
  ['svc_events.systemtask', 'run_task', 'Run task'],
  ['svc_rbac.systempermission', 'view_system_info', 'Can view system info'],
  ['svc_rbac.systempermission', 'access_admin_interface', 'Can access admin interface'],
  ['svc_rbac.systempermission', 'view_system_settings', 'Can view system settings'],
  ['svc_rbac.systempermission', 'edit_system_settings', 'Can edit system settings'],
];

const verbs = ['add', 'change', 'delete', 'view'] as const;

/** Permissions on the system as a whole. Callers see which of them they hold. */
export const systemPermissions: readonly string[] = furtherPermissions
  .filter(([model]) => model === 'svc_rbac.systempermission')
  .map(([, codename]) => codename);

/** All permissions: of the models listed in the interface, of all other resources, and those that operations check. */
export function permissionsOf(resources: readonly Resource[], endpoints: readonly Endpoint[] = []): Permission[] {
  const found = new Map<string, Permission>();
  const add = (model: string, codename: string, name: string) => {
    const [app_label = '', modelName = ''] = model.split('.');
    const key = `${app_label}.${codename}`;
    if (!found.has(key)) found.set(key, { app_label, codename, model: modelName, name });
  };
  const models = new Map<string, string>(Object.entries(modelNames));
  for (const { model, names } of resources) if (!models.has(model)) models.set(model, names[0]);
  for (const [model, name] of models) {
    for (const verb of verbs) add(model, `${verb}_${model.split('.')[1]}`, `Can ${verb} ${name}`);
  }
  const used = new Set(resources.flatMap(({ allFields }) => usedModels(allFields)));
  for (const { model, modelName, family, names, isAlternate } of resources) {
    if (isAlternate || !(used.has(model) || used.has(family?.model ?? ''))) continue;
    add(model, `use_${modelName}`, `Can use ${names[0]}`);
  }
  for (const permission of furtherPermissions) add(...permission);
  for (const resource of resources) {
    if (resource.isAlternate || secretsOf(resource).length === 0) continue;
    add(resource.model, `view_${resource.modelName}_secret`, `Can view secrets of ${resource.names[0]}`);
  }
  for (const { model, actions = [] } of resources) {
    for (const { access, summary } of actions) addChecked(model, access, summary);
  }
  for (const { access, summary } of endpoints) addChecked('svc_rbac.systempermission', access, summary);
  return [...found.values()];

  /** Adds the permission that an operation checks, if it is not listed yet. */
  function addChecked(model: string, access: unknown, summary: string): void {
    if (!isJsonObject(access) || typeof access.permission !== 'string') return;
    const [app, codename = ''] = access.permission.split('.');
    const modelName = model.startsWith(`${app}.`) ? model : `${app}.systempermission`;
    add(modelName, codename, summary);
  }
}

/** The models of objects that others use: keys, certificates, mappings. */
const usedModels = (fields: Fields): string[] =>
  Object.values(fields).flatMap((field) => (isRef(field) && field.needs === 'use' ? [field.model] : []));

/** Adds missing permissions to the table, in one statement if there are none. Existing rows never change. */
export async function syncPermissions(db: Database, permissions: readonly Permission[]): Promise<void> {
  const missing = await missingFrom(db.read, permissions);
  if (missing.length === 0) return;
  await db.write(async (tx) => {
    for (let at = 0; at < missing.length; at += batch) {
      const rows = missing
        .slice(at, at + batch)
        .map(({ app_label, codename, model, name }) => sql`(${app_label}, ${codename}, ${model}, ${name})`);
      const { rows: added } = await sql<{ pk: number }>`insert into permissions (app_label, codename, model, name)
        values ${sql.join(rows)} on conflict do nothing returning pk`.execute(tx);
      const keys = added.map(({ pk }) => pk);
      // Readers of everything may also read what a new version adds.
      await grantToReaders(tx, keys.length > 0 ? sql`p.pk in (${sql.join(keys)})` : sql`1 = 0`);
    }
  });
}

const batch = 200;

async function missingFrom(query: Query, permissions: readonly Permission[]): Promise<Permission[]> {
  const { rows } = await sql<{ key: string }>`select app_label || '.' || codename as key from permissions`.execute(
    query,
  );
  const present = new Set(rows.map(({ key }) => key));
  return permissions.filter(({ app_label, codename }) => !present.has(`${app_label}.${codename}`));
}

/** The role that may read everything and change nothing. */
export const readersRole = 'Gatehouse Read-only';

/**
 * Grants the readers' role the `view` permissions that match the condition (over `p`), except those for keys and
 * secrets.
 */
export async function grantToReaders(tx: Query, condition = sql`1 = 1`): Promise<void> {
  await sql`insert into role_permissions (role, permission) select r.pk, p.pk from roles r cross join permissions p
    where r.name = ${readersRole} and p.codename like 'view~_%' escape '~' and p.codename not like '%~_key' escape '~' and p.codename not like '%~_secret' escape '~' and ${condition}
    on conflict do nothing`.execute(tx);
}
