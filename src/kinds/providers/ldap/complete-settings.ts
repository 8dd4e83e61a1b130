import { sql } from 'kysely';
import { isAtOrBelow, normalizeDn, normalizeType, parseDn } from '../../../lib/ldap/dn.ts';
import { type Complaints, Problem } from '../../../lib/problem.ts';
import type { Query } from '../../../platform/db/database.ts';
import { completePasswordFlow } from '../../../provider/password-server/password-flow.ts';
import { holdsOn } from '../../../resource/access/access.ts';
import type { CheckInput } from '../../../resource/resource.ts';
import { ldapModel } from './ldap-model.ts';
import { computedAttributes } from './tree.ts';

type LdapSettings = {
  pk: number;
  authorization_flow: string;
  base_dn: string;
  base_key: string;
  tls_server_name: string;
  published_attributes: readonly string[];
};

type Input = CheckInput<LdapSettings>;

export function baseDnComplaint(text: string): string | null {
  const dn = parseDn(text);
  if (!dn || dn.length === 0) return 'Enter a distinguished name such as DC=ldap,DC=example,DC=com.';
  return dn.some((rdn) => rdn.length > 1 || rdn.some(({ isEncoded }) => isEncoded))
    ? 'Names of several parts are not supported here.'
    : null;
}

const hostName = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i;

export const serverNameComplaint = (text: string): string | null =>
  hostName.test(text) ? null : 'Enter a host name such as ldap.example.com.';

/** What follows from an account is computed; an attribute of that name would let people claim to be others. */
export function attributeComplaint(text: string): string | null {
  if (!/^[A-Za-z][A-Za-z0-9-]*$/.test(text)) return 'Enter the name of an attribute: letters, digits and hyphens.';
  return computedAttributes.has(normalizeType(text)) ? `${text} is computed and cannot be replaced.` : null;
}

/** Fills in defaults and validates the provider as a whole. */
export async function completeSettings(input: Input): Promise<Complaints | null> {
  const { tx, values, current } = input;
  const complaints = await completePasswordFlow(input);
  if (complaints) return complaints;
  checkMayPublish(input);
  values.base_key = normalizeDn(parseDn(values.base_dn) ?? []);
  return (await takenComplaint(input)) ?? (await serverNameTaken(tx, values, current?.pk));
}

/** Attributes may hold what no client is meant to know. */
function checkMayPublish({ call: { actor }, values, current }: Input): void {
  if (!actor || actor.isSuperuser) return;
  const before = new Set(current?.published_attributes);
  if (values.published_attributes.every((name) => before.has(name))) return;
  throw new Problem('permission_denied', 'Only superusers publish attributes.');
}

/** One base, one provider. Within the tree of another provider only who may change that one serves a tree. */
async function takenComplaint({ tx, call, registry, values, current }: Input): Promise<Complaints | null> {
  await call.db.dialect.exclusive('LDAP trees')?.execute(tx);
  const base = parseDn(values.base_dn) ?? [];
  const { rows: others } = await sql<{ pk: number; base_dn: string; base_key: string }>`select pk, base_dn, base_key
    from provider_ldap where pk <> ${current?.pk ?? 0}`.execute(tx);
  if (others.some(({ base_key }) => base_key === values.base_key))
    return { base_dn: ['Another provider has this base DN.'] };
  const { actor } = call;
  if (!actor || current?.base_key === values.base_key) return null;
  const resource = registry.require(ldapModel);
  const change = resource.permission('change');
  for (const other of others) {
    if (!isAtOrBelow(base, parseDn(other.base_dn) ?? [])) continue;
    if (await holdsOn(actor, change, resource, other.pk, tx)) continue;
    throw Problem.lacks(change, 'This base DN is in the tree of a provider that you may not change.');
  }
  return null;
}

async function serverNameTaken(
  query: Query,
  { tls_server_name: name }: LdapSettings,
  own = 0,
): Promise<Complaints | null> {
  if (name === '') return null;
  const { rows } = await sql`select 1 from provider_ldap
    where lower(tls_server_name) = lower(${name}) and pk <> ${own} limit 1`.execute(query);
  return rows.length > 0 ? { tls_server_name: ['Another provider has this name.'] } : null;
}
