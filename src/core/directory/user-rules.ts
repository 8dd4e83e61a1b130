import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../lib/json.ts';
import { isSameName, nameKey } from '../../lib/name-key.ts';
import { type Complaints, Invalid } from '../../lib/problem.ts';
import type { Jobs } from '../../platform/jobs/job.ts';
import type { Actor } from '../../resource/access/actor.ts';
import { checkRecentlyAuthenticatedFor } from '../../resource/access/recent-authentication.ts';
import type { CorrectRights, RightsInput } from '../../resource/access/visibility.ts';
import { hasUnseen } from '../../resource/fields/well-formed.ts';
import type { AfterWrite, CheckInput } from '../../resource/resource.ts';
import { checkMayReachUser, checkMayTouchUser, findUnreachableUsers, grantsSuperuser } from '../access/delegation.ts';
import { checkSuperuserLeft } from '../access/last-superuser.ts';
import { deleteEventsOfUser } from '../event/deleted-users.ts';
import { endSessions } from '../session/session.ts';
import type { SettingsStore } from '../settings/settings.ts';
import { verificationColumns } from './email-proof.ts';
import { checkMayJoin, checkMayLeave } from './membership.ts';
import { checkNames } from './name-keys.ts';

export const userTypes = ['internal', 'external', 'service_account', 'internal_service_account'] as const;
type User = {
  pk: number;
  username: string;
  email: string;
  email_verified: boolean;
  email_verified_at: string | null;
  email_verified_by: string | null;
  verified_email: string | null;
  uuid: string;
  username_twin: string;
  email_twin: string;
  type: string;
  attributes: JsonObject;
  is_active: boolean;
  is_superuser: boolean;
  groups: readonly string[];
};

export const internalAccount = 'internal_service_account';

/** Names that differ only in invisible characters look alike (homograph attack). */
export const usernameComplaint = (name: string): string | null =>
  hasUnseen(name) ? 'Invisible characters are not allowed.' : null;

export function pathComplaint(path: string): string | null {
  if (path.startsWith('/') || path.endsWith('/')) return 'No leading or trailing slashes allowed.';
  return path.includes('//') ? 'No empty segments in user path allowed.' : null;
}

/** Changing these affects how, or whether, a user can sign in. */
const accessFields = ['username', 'email', 'email_verified', 'is_active', 'attributes', 'type'] as const;

/** Internal accounts belong to the server; only superusers change superusers. */
export async function checkUser(input: CheckInput<User>, settings: SettingsStore): Promise<Complaints | null> {
  await checkMayChangeAccess(input);
  const { call, values, current } = input;
  const complaints = (await checkUniqueNames(input, settings)) ?? (await stateProof(input, settings));
  if (complaints) return complaints;
  if (!call.actor) return null;
  if (current?.type === internalAccount) {
    return { non_field_errors: ["Can't modify internal service account users"] };
  }
  if (values.type === internalAccount) {
    return { type: ['Setting a user to internal service account is not allowed.'] };
  }
  const [before, after] = [new Set(current?.groups), new Set(values.groups)];
  await checkMayJoin(input, [...after.difference(before)]);
  await checkMayLeave(input, [...before.difference(after)]);
  return null;
}

/** Checked first: callers who may not change a user must not learn what is wrong with the change. */
async function checkMayChangeAccess({ tx, call, values, given, current }: CheckInput<User>): Promise<void> {
  if (!call.actor || !current) return;
  await checkMayTouchUser(tx, call, current.pk);
  if (accessFields.some((name) => given.has(name) && !isDeepStrictEqual(values[name], current[name])))
    await checkMayReachUser(tx, call, current.pk);
  if (given.has('email') && values.email !== current.email) checkRecentlyAuthenticatedFor(current.pk, call);
}

/**
 * Rejects names and addresses of other users. Rows that share one on purpose, or since before this rule, are marked for
 * the unique index.
 */
async function checkUniqueNames(
  { tx, values, current }: CheckInput<User>,
  settings: SettingsStore,
): Promise<Complaints | null> {
  const mayShare = (await settings.current()).shared_emails;
  const { complaints, isShared } = await checkNames(tx, values, current, mayShare);
  if (complaints) return complaints;
  if (nameKey(values.username) !== nameKey(current?.username ?? '')) values.username_twin = '';
  if (nameKey(values.email) !== nameKey(current?.email ?? '')) values.email_twin = isShared ? values.uuid : '';
  return null;
}

/**
 * Runs for every write of a user: a new address is not verified. Of administrators' own
 * statements the explicit one counts, else the setting; what others have proven, their code records after the write.
 */
async function stateProof(
  { call, values, given, current }: CheckInput<User>,
  settings: SettingsStore,
): Promise<Complaints | null> {
  const { email } = values;
  const isSame = current !== null && isSameName(email, current.email);
  const isStated = given.has('email_verified') && (!isSame || values.email_verified !== current.email_verified);
  if (isStated && values.email_verified && email === '') return { email_verified: ['There is no address to verify.'] };
  if (!isStated && isSame) {
    // Written in other letters it is still the address that was proven.
    if (current.verified_email === current.email) values.verified_email = email;
    return null;
  }
  const { actor } = call;
  const isAdministrators =
    actor !== null && (isStated || (managesUsers(actor) && (await settings.current()).trust_administrator_emails));
  const isVerified = isStated ? values.email_verified : true;
  const isKnown = email !== '' && isAdministrators;
  Object.assign(
    values,
    verificationColumns(isKnown ? { email, isVerified, by: 'administrator', now: call.now } : null),
  );
  return null;
}

/** People whom a flow lets write to their own account hold neither. */
const managesUsers = ({ holds }: Actor): boolean => holds('svc_core.add_user') || holds('svc_core.change_user');

/** Ends all access of a deactivated or deleted account at once. */
export async function afterUserWrite(
  { tx, call, verb, pk, values, current }: AfterWrite<User>,
  settings: SettingsStore,
  jobs: Jobs,
): Promise<void> {
  if (verb === 'destroy') {
    await checkMayReachUser(tx, call, pk);
    if (call.actor?.user.pk === pk) throw Invalid.whole('You cannot delete the account you are signed in with.');
    if ((await settings.read(tx)).gdpr_compliance) await deleteEventsOfUser(tx, call, jobs, pk);
  }
  if (verb === 'update' && current?.is_active && !values.is_active) await endSessions(tx, pk);
  await keepSuperuser({ tx, call, verb, pk, values, current });
}

/** What the rules above leave of rights by permission: accounts beyond the caller keep but harmless changes. */
export async function userRights({ actor, keys, valuesOf, query }: RightsInput): Promise<CorrectRights> {
  const { superusers, stronger } = await findUnreachableUsers(query, actor, keys.map(Number));
  return (key, held) => {
    if (superusers.has(key)) return { may: [] };
    const may = valuesOf(key).type === internalAccount ? held.filter((right) => right !== 'change') : held;
    if (stronger.has(key)) return { may: may.filter((right) => right === 'change'), fixed: accessFields };
    return { may: key === actor.user.pk ? may.filter((right) => right !== 'delete') : may };
  };
}

type Change = Pick<AfterWrite<User>, 'tx' | 'call' | 'verb' | 'pk' | 'values' | 'current'>;

/** Refuses to remove the last superuser. */
async function keepSuperuser({ tx, call, verb, pk, values, current }: Change): Promise<void> {
  const before = current?.groups ?? [];
  if (!current?.is_active || before.length === 0) return;
  const after = new Set(values.groups);
  const isWeaker = !values.is_active || values.type !== current.type || before.some((group) => !after.has(group));
  if (verb !== 'destroy' && !isWeaker) return;
  if (!(await grantsSuperuser(tx, before))) return;
  await checkSuperuserLeft(tx, call, verb === 'destroy' ? { user: pk } : {});
}
