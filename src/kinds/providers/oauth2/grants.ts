import { sql } from 'kysely';
import type { Database, Query } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/statement.ts';
import type { InstanceKey } from '../../../platform/keys.ts';
import { orderedUuid } from '../../../platform/random.ts';
import { hasProvider } from './delete-tokens.job.ts';

// Stores tokens and codes. Only their hashes are stored, so that a leaked database
// contains no usable tokens.

type Hash = Pick<InstanceKey, 'hash'>;

/** User, client, scope and lifetime of a grant. */
export interface Grant {
  readonly provider: number;
  readonly user: number;
  /** The session it ends with; null when it outlives the browser. */
  readonly session: string | null;
  readonly scope: readonly string[];
  readonly now: string;
  /** When the person proved who they are. */
  readonly authTime: string;
  /** Null: never. */
  readonly expires: string | null;
  /** Shared by all tokens of one authorization; a new one by default. */
  readonly family?: string;
  readonly terms?: GrantTerms;
}

/** The terms of a grant in addition to its scope. Inherited by everything that the grant is exchanged for. */
export interface GrantTerms {
  readonly nonce?: string;
  readonly acr?: string;
  readonly amr?: readonly string[];
  /** The `claims` parameter (OpenID Connect Core §5.5). */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** RFC 8707: what the access token is for, when that is not the client itself. */
  readonly resource?: readonly string[];
  /** RFC 9449: the thumbprint of the key whose owner alone may use it. */
  readonly jkt?: string;
  /** The session id for clients (OpenID Connect Back-Channel Logout §2.1). */
  readonly sid?: string;
  /** RFC 8693 §4.1: who acts for the user. */
  readonly act?: ActClaim;
  /** The actor chain, current actor first. The token expires no later than any of their tokens. */
  readonly actors?: readonly ActorToken[];
}

/** Who acts, and below it who acted before. A type, since claims are JSON. */
export type ActClaim = {
  readonly sub: string;
  /** The provider whose clients identify the actor by this subject. */
  readonly iss: string;
  /** The client to which the actor's token was issued. */
  readonly client_id: string;
  readonly act?: ActClaim;
};

/** Of an access token and its user the keys. */
export interface ActorToken {
  readonly token: number;
  readonly user: number;
}

export interface TokenGrant extends Grant {
  readonly token: string;
  /** The claims of the ID token that belongs to it. */
  readonly idToken: Readonly<Record<string, unknown>>;
}

export interface CodeGrant extends Grant {
  readonly code: string;
  readonly redirectUri: string;
  readonly nonce: string;
  /** RFC 7636; empty when the client sent none. */
  readonly codeChallenge: string;
  readonly codeChallengeMethod: string;
}

const grantColumns = [
  'provider',
  'user',
  'session',
  'created',
  'auth_time',
  'expires',
  'expiring',
  'scope',
  'family',
  'terms',
];
const tokenColumns = [...grantColumns, 'token_hash', 'id_token', 'revoked'];
const codeColumns = [...grantColumns, 'code_hash', 'redirect_uri', 'nonce', 'code_challenge', 'code_challenge_method'];

const insertAccessToken = insertInto('oauth2_access_tokens', tokenColumns);
const insertRefreshToken = insertInto('oauth2_refresh_tokens', tokenColumns);
const insertCode = insertInto('oauth2_authorization_codes', codeColumns);

export const storeAccessToken = async (tx: Query, key: Hash, grant: TokenGrant): Promise<void> =>
  void (await insertAccessToken(tx, ...valuesOf(grant), ...valuesOfToken(key, grant)));

export const storeRefreshToken = async (tx: Query, key: Hash, grant: TokenGrant): Promise<void> =>
  void (await insertRefreshToken(tx, ...valuesOf(grant), ...valuesOfToken(key, grant)));

export const storeAuthorizationCode = async (tx: Query, key: Hash, grant: CodeGrant): Promise<void> => {
  const { code, redirectUri, nonce, codeChallenge, codeChallengeMethod } = grant;
  await insertCode(tx, ...valuesOf(grant), key.hash(code), redirectUri, nonce, codeChallenge, codeChallengeMethod);
};

/** Of `grantColumns` */
const valuesOf = ({ provider, user, session, scope, now, authTime, expires, family, terms = {} }: Grant) => [
  provider,
  user,
  session,
  now,
  authTime,
  expires,
  expires !== null,
  JSON.stringify(scope),
  family ?? orderedUuid(),
  JSON.stringify(terms),
];

/**
 * Further columns of tokens. The claims are stored as displayed: computed once, not for every reader of a long list.
 */
const valuesOfToken = ({ hash }: Hash, { token, idToken }: TokenGrant) => [
  hash(token),
  JSON.stringify(idToken, null, 4),
  false,
];

/** Revokes all tokens of one authorization, including those being issued at this moment. */
export async function revokeFamily({ dialect }: Pick<Database, 'dialect'>, tx: Query, family: string): Promise<void> {
  await lockFamily({ dialect }, tx, family);
  await sql`update oauth2_access_tokens set revoked = true where family = ${family} and not revoked`.execute(tx);
  await sql`update oauth2_refresh_tokens set revoked = true where family = ${family} and not revoked`.execute(tx);
}

/**
 * Locked while tokens are added to an authorization or it is revoked: otherwise tokens added by one
 * transaction would not be seen by the other, and stay.
 */
export async function lockFamily({ dialect }: Pick<Database, 'dialect'>, tx: Query, family: string): Promise<void> {
  await dialect.exclusive(`grants ${family}`)?.execute(tx);
}

/** Whether all actors are still active. Expiry needs no check: the token expires no later than theirs. */
export async function areActorsActive(query: Query, actors: readonly ActorToken[]): Promise<boolean> {
  const tokens = new Set(actors.map(({ token }) => token));
  const { rows } = await sql`select 1 from oauth2_access_tokens t join users u on u.pk = t."user"
    where t.pk in (${sql.join([...tokens])}) and not t.revoked and u.is_active
      and ${hasProvider(sql`t.provider`)}`.execute(query);
  return rows.length === tokens.size;
}

/** All tokens are written by these statements, so each is rendered once. */
function insertInto(table: string, columns: readonly string[]) {
  const names = sql.join(columns.map((name) => sql.ref(name)));
  return statement<unknown[], never>(
    (...values) => sql`insert into ${sql.table(table)} (${names}) values (${sql.join(values)})`,
  );
}
