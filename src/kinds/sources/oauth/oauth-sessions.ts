import { sql } from 'kysely';
import { expired } from '../../../core/cleanup/cleanup.jobs.ts';
import type { AppendStep } from '../../../flow/protocol-kind.ts';
import { asObject, type JsonObject } from '../../../lib/json.ts';
import { addMilliseconds } from '../../../platform/clock.ts';
import type { Query } from '../../../platform/db/database.ts';
import { type InstanceKey, sealContext } from '../../../platform/keys.ts';
import { orderedUuid } from '../../../platform/random.ts';
import { isStorable, storableText } from '../../../resource/fields/well-formed.ts';
import { createAppendSteps } from '../../../source/append-steps.ts';

/** The identifiers of a session at a provider. A type, since plans are JSON. */
export type SessionFacts = {
  readonly sub: string;
  readonly sid: string | null;
  /** Empty if it is too long for the address that ends the session. */
  readonly idToken: string;
};

// Servers and browsers take addresses of about 8,000 characters.
const maxHintLength = 6_000;
const maxIdLength = 255;

/** From the verified claims of an ID token. */
export const sessionFacts = ({ sub, sid }: JsonObject, idToken: string): SessionFacts => ({
  sub: storableText(String(sub)),
  sid: typeof sid === 'string' && sid !== '' && sid.length <= maxIdLength && isStorable(sid) ? sid : null,
  idToken: idToken.length <= maxHintLength ? idToken : '',
});

/** Stores the provider's identifiers with a new session; all other steps are those of any source. */
export function createAppendOAuthSteps({ box }: Pick<InstanceKey, 'box'>): AppendStep {
  const append = createAppendSteps();
  return async (step, state, tx, call, registry) => {
    if (step.step !== 'begin_session') return append(step, state, tx, call, registry);
    const { session } = state.context;
    // A flow without a login stage begins none.
    if (typeof session !== 'string') return;
    const { sub = '', sid = null, idToken = '' } = asObject(step.content);
    const source = state.plan.source?.pk ?? null;
    const pk = orderedUuid();
    const sealed = idToken === '' ? '' : box.seal(String(idToken), contextOf(pk));
    await sql`delete from oauth_source_sessions where session = ${session} and source = ${source}`.execute(tx);
    await sql`insert into oauth_source_sessions (pk, session, source, sub, sid, id_token)
      values (${pk}, ${session}, ${source}, ${sub}, ${sid}, ${sealed})`.execute(tx);
  };
}

const contextOf = (pk: string): string => sealContext('oauth_source_sessions', 'id_token', pk);

/** The source that a session came by and has to end at, with its ID token. */
export async function sourceOfSession(
  query: Query,
  { box }: Pick<InstanceKey, 'box'>,
  session: string,
): Promise<{ readonly source: string; readonly slug: string; readonly idToken: string } | null> {
  const { rows } = await sql<{ pk: string; source: string; slug: string; id_token: string; discovered: string }>`
    select t.pk, t.source, s.slug, t.id_token, k.oidc_discovered as discovered from oauth_source_sessions t join sources s on s.pk = t.source and s.enabled
    join source_oauth k on k.pk = s.pk and k.end_session_at_source
    where t.session = ${session} limit 1`.execute(query);
  const [row] = rows;
  if (!row || !asObject(JSON.parse(row.discovered)).end_session_endpoint) return null;
  const { pk, source, slug, id_token } = row;
  return { source, slug, idToken: id_token === '' ? '' : box.open(id_token, contextOf(pk)) };
}

/**
 * The sessions that a logout token names (OpenID Connect Back-Channel Logout §2.6). Of those whose ID token had no
 * `sid`, the user alone is known.
 */
export async function sessionsNamed(
  query: Query,
  source: string,
  { sub, sid }: { readonly sub: string | null; readonly sid: string | null },
): Promise<{ readonly session: string; readonly user: number }[]> {
  const bySub = sub === null ? sql`` : sql` and t.sub = ${sub}`;
  const orUnknown = sub === null ? sql`` : sql` or t.sid is null`;
  const bySid = sid === null ? sql`` : sql` and (t.sid = ${sid}${orUnknown})`;
  const { rows } = await sql<{ session: string; user: number }>`select t.session, a."user" from oauth_source_sessions t
    join authenticated_sessions a on a.pk = t.session where t.source = ${source}${bySub}${bySid}`.execute(query);
  return rows;
}

/**
 * Logout tokens are remembered until they are refused by their age, so that each is accepted once, on whichever
 * instance.
 */
export const usedLogoutTokens = expired('oauth_source_logout_tokens', 'used logout tokens');

/** Whether the token is used for the first time. */
export async function useLogoutToken(
  tx: Query,
  key: Pick<InstanceKey, 'hash'>,
  source: string,
  { jti, now, lifetimeMs }: { readonly jti: string; readonly now: string; readonly lifetimeMs: number },
): Promise<boolean> {
  const { rows } = await sql`insert into oauth_source_logout_tokens (pk, source, token_hash, expires)
    values (${orderedUuid()}, ${source}, ${key.hash(`oauth logout token ${jti}`)}, ${addMilliseconds(now, lifetimeMs)})
    on conflict do nothing returning pk`.execute(tx);
  return rows.length > 0;
}
