import { sql } from 'kysely';
import { parseDuration } from '../../lib/duration.ts';
import { type Complaints, Problem } from '../../lib/problem.ts';
import { addMilliseconds } from '../../platform/clock.ts';
import type { Query } from '../../platform/db/database.ts';
import { randomText } from '../../platform/random.ts';
import type { Actor } from '../../resource/access/actor.ts';
import type { AfterWrite, CheckInput } from '../../resource/resource.ts';
import { effectiveAttributes } from '../directory/effective-attributes.ts';
import type { Settings } from '../settings/settings.ts';
import { type KeyNeeds, storeKey } from './issue-token.ts';

/** Attributes of users and groups: whether tokens expire (default true), and the maximum lifetime of app passwords. */
export const tokenExpiresAttribute = 'gatehouse/user/token-expires';
export const tokenLifetimeAttribute = 'gatehouse/user/token-maximum-lifetime';

export const tokenIntents = ['verification', 'api', 'recovery', 'app_password'] as const;
const requestable = new Set<string>(['api', 'app_password']);

type Token = {
  pk: string;
  user: number;
  intent: (typeof tokenIntents)[number];
  expires: string | null;
  expiring: boolean;
  audience: string | null;
  application: string | null;
};

interface Dependencies {
  readonly key: KeyNeeds;
  readonly settings: { read(query: Query): Promise<Settings> };
}

/** Decides owner, intent and expiry of a token. Only superusers create tokens for others. */
export async function checkToken(
  { tx, call, values, given, current }: CheckInput<Token>,
  { settings }: Dependencies,
): Promise<Complaints | null> {
  const { actor } = call;
  checkAudience(actor, current?.audience ?? null);
  if (current && given.has('user') && values.user !== current.user) return { user: ['User cannot be changed'] };
  if ((!current || given.has('intent')) && values.intent !== current?.intent && !requestable.has(values.intent)) {
    return { intent: [`Invalid intent ${values.intent}`] };
  }
  if (!current && actor && !actor.isSuperuser) values.user = actor.user.pk;
  if (values.application !== null && values.intent !== 'app_password')
    return { application: ['Only app passwords are limited to an application.'] };
  const attributes = await effectiveAttributes(tx, values.user);
  if (actor && !actor.isSuperuser && (!current || given.has('expiring'))) {
    values.expiring = attributes[tokenExpiresAttribute] !== false;
  }
  const { default_token_duration } = await settings.read(tx);
  const isNew = values.intent !== current?.intent;
  return completeExpiry({ values, given, now: call.now, duration: default_token_duration, isNew }, attributes);
}

/** A token with an audience gives access to more than its account holds, such as the users of a SCIM source. */
export function checkAudience(actor: Actor | null, audience: string | null): void {
  if (audience !== null && actor && !actor.isSuperuser)
    throw new Problem('permission_denied', 'Only superusers may view or change the token of a source or an outpost.');
}

interface Expiry {
  readonly values: Token;
  readonly given: ReadonlySet<string>;
  readonly now: string;
  readonly duration: string;
  /** Whether the token is created now, or changed to another intent. */
  readonly isNew: boolean;
}

function completeExpiry({ values, given, now, duration, isNew }: Expiry, attributes: Record<string, unknown>) {
  if (!values.expiring) {
    values.expires = null;
    return null;
  }
  const usual = addMilliseconds(now, parseDuration(duration) ?? 0);
  const isAsked = given.has('expires') && values.expires !== null;
  // API tokens have a fixed lifetime; setting `expires` renews it.
  if (values.intent === 'api' && (isNew || isAsked)) values.expires = usual;
  values.expires ??= usual;
  if (values.intent !== 'app_password' || !isAsked) return null;
  const maxLifetime = attributes[tokenLifetimeAttribute];
  const maxMs = typeof maxLifetime === 'string' ? parseDuration(maxLifetime) : null;
  const limit = maxMs === null ? usual : addMilliseconds(now, maxMs);
  if (values.expires <= limit) return null;
  return { expires: [`Token expires exceeds maximum lifetime (${limit} UTC).`] };
}

/** Generates the key of a new token; its owner may view it. */
export async function afterTokenWrite(
  { tx, call, verb, pk, values, isAlong }: AfterWrite<Token>,
  { key, settings }: Dependencies,
): Promise<void> {
  if (verb === 'destroy' && !isAlong) checkAudience(call.actor, values.audience);
  if (verb !== 'create') return;
  await storeKey(tx, key, pk, randomText((await settings.read(tx)).default_token_length));
  if (!call.actor || call.actor.isSuperuser) return;
  await sql`insert into user_object_permissions ("user", permission, object_pk)
    select ${values.user}, pk, ${pk} from permissions where app_label = 'svc_core' and codename = 'view_token_key'`.execute(
    tx,
  );
}
