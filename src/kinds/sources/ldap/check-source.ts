import { sql } from 'kysely';
import { checkMayGrantMembership } from '../../../core/access/delegation.ts';
import { type Complaints, Problem } from '../../../lib/problem.ts';
import type { Query } from '../../../platform/db/database.ts';
import type { CheckInput } from '../../../resource/resource.ts';

interface Checked {
  readonly pk: string;
  readonly client_certificate: string | null;
  readonly sync_users: boolean;
  readonly sync_groups: boolean;
  readonly user_property_mappings: readonly string[];
  readonly group_property_mappings: readonly string[];
  readonly sync_users_password: boolean;
  readonly sync_parent_group: string | null;
  readonly trust_emails: boolean;
}

export async function checkLdapSource(input: CheckInput<Checked>): Promise<Complaints | null> {
  const { tx, call, values, given, current } = input;
  const { actor } = call;
  if (values.trust_emails && !current?.trust_emails && actor && !actor.isSuperuser)
    throw new Problem('permission_denied', 'Only superusers may let a source verify addresses.');
  const parent = values.sync_parent_group;
  if (parent !== null && parent !== current?.sync_parent_group) await checkMayGrantMembership(tx, call, [parent]);
  for (const kind of ['user', 'group'] as const) {
    if (given.has(`sync_${kind}s`) && values[`sync_${kind}s`] && values[`${kind}_property_mappings`].length === 0) {
      const complaint = `When 'Sync ${kind}s' is enabled, '${kind}s property mappings' cannot be empty.`;
      return { [`${kind}_property_mappings`]: [complaint] };
    }
  }
  if (values.sync_users_password && !current?.sync_users_password && (await isPasswordSyncTaken(tx, current?.pk)))
    return { sync_users_password: ['Only a single LDAP Source with password synchronization is allowed'] };
  const pair = values.client_certificate;
  if (pair !== null && pair !== current?.client_certificate && !(await hasKey(tx, pair)))
    return { client_certificate: [`Invalid pk "${pair}" - the certificate has no private key.`] };
  return null;
}

async function isPasswordSyncTaken(tx: Query, except: string | undefined): Promise<boolean> {
  const { rows } = await sql`select 1 from source_ldap where sync_users_password
    and pk <> ${except ?? '00000000-0000-0000-0000-000000000000'}`.execute(tx);
  return rows.length > 0;
}

async function hasKey(tx: Query, pk: string): Promise<boolean> {
  const { rows } = await sql`select 1 from certificates where pk = ${pk} and key_data <> ''`.execute(tx);
  return rows.length > 0;
}
