import { uidOf } from '../../../core/directory/uid.ts';
import { type Merged, mergeMappings } from '../../../core/mapping/evaluate.ts';
import type { UserFacts } from '../../../core/mapping/user-facts.ts';
import { parseDuration } from '../../../lib/duration.ts';
import { isJsonObject, type Json } from '../../../lib/json.ts';
import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';
import { OAuthError } from './oauth-error.ts';
import { type IssuerMode, issuerOf } from './urls.ts';

export type Claims = Record<string, Json>;

export const subModes = ['hashed_user_id', 'user_id', 'user_uuid', 'user_username', 'user_email', 'user_upn'] as const;
export type SubMode = (typeof subModes)[number];

/** The settings of a provider that affect its tokens. */
export interface TokenSettings {
  readonly pk: number;
  readonly name: string;
  readonly client_id: string;
  readonly sub_mode: SubMode;
  readonly issuer_mode: IssuerMode;
  readonly access_token_validity: string;
  readonly include_claims_in_id_token: boolean;
  readonly assigned_application_slug: string;
}

export interface ScopeRow {
  readonly name: string;
  readonly scope_name: string;
  readonly expression: string;
  /** Whether it reads access tokens of sources; SQLite returns a number. */
  readonly wants_tokens?: unknown;
}

/** The reference to an authentication of no particular strength. */
export const defaultAcr = 'gatehouse/providers/oauth2/default';

/** The subject, as the provider's clients identify the user. Rejects subjects that several users would share. */
export function subjectOf(mode: SubMode, user: UserFacts, installId: string): string {
  const subject = subjectBy(mode, user, installId);
  if (subject.trim() === '') throw new OAuthError('access_denied', 'The user has no value for the subject identifier.');
  return subject;
}

function subjectBy(mode: SubMode, user: UserFacts, installId: string): string {
  const hashed = () => uidOf(user.pk, installId);
  const upn = isJsonObject(user.attributes) ? user.attributes.upn : undefined;
  switch (mode) {
    case 'hashed_user_id':
      return hashed();
    case 'user_id':
      return String(user.pk);
    case 'user_uuid':
      return user.uuid;
    case 'user_username':
      return user.username;
    case 'user_email':
      return user.email;
    case 'user_upn':
      return typeof upn === 'string' && upn !== '' ? upn : hashed();
  }
}

/** The claims last issued to a client, by user. Evicted when the client or the user is reloaded. */
export type ClaimsCache = WeakMap<UserFacts, { readonly names: string; readonly claims: Claims }>;

/** The recipient of claims, with the scopes that it may request. */
type ScopedClient = Pick<TokenSettings, 'pk' | 'name' | 'client_id'> & {
  readonly scopes: readonly ScopeRow[];
  readonly claimsCache: ClaimsCache;
};

/** A user's access tokens at sources, by slug. */
export type SourceTokens = Readonly<Record<string, string>>;

export const wantsTokens = ({ wants_tokens }: ScopeRow): boolean => Boolean(wants_tokens);

/** `scopeClaims`, cached with the client. The result must not be mutated. */
export function cachedScopeClaims(
  sandbox: Sandbox,
  client: ScopedClient,
  user: UserFacts,
  scope: readonly string[],
  sourceTokens: SourceTokens,
): Readonly<Claims> {
  const mappings = client.scopes.filter(({ scope_name }) => scope.includes(scope_name));
  const names = mappings.map(({ name }) => name).join('\n');
  const last = client.claimsCache.get(user);
  if (last?.names === names) return last.claims;
  const { value: claims, isLasting } = scopeClaims(sandbox, mappings, user, client, sourceTokens);
  if (isLasting) client.claimsCache.set(user, { names, claims });
  return claims;
}

/** The claims that the scopes of these mappings bring. Throws `MappingFailed`. */
export function scopeClaims(
  sandbox: Sandbox,
  mappings: readonly ScopeRow[],
  user: UserFacts,
  { pk, name, client_id }: Pick<TokenSettings, 'pk' | 'name' | 'client_id'>,
  sourceTokens: SourceTokens = {},
): Merged {
  // Callers have verified a session, a code or a token.
  sandbox.budgets.raise();
  const facts = user;
  const globals = {
    user: facts,
    provider: { pk, name, client_id },
    scopes: mappings.map(({ scope_name }) => scope_name),
    source_tokens: {},
    request: { user: facts, context: {}, http_request: null, obj: null },
  };
  const plain = mergeMappings(
    sandbox,
    mappings.filter((mapping) => !wantsTokens(mapping)),
    globals,
  );
  const reading = mappings.filter(wantsTokens);
  if (reading.length === 0) return plain;
  // Others never see the tokens: not only superusers may change those.
  const { value } = mergeMappings(sandbox, reading, { ...globals, source_tokens: sourceTokens }, plain.value);
  return { value, isLasting: false };
}

export interface IdTokenFacts {
  readonly settings: TokenSettings;
  /** What the scopes bring; no claim of the protocol's own can be replaced by one of them. */
  readonly claims: Claims;
  readonly publicUrl: string;
  /** Who it is about; see `subjectOf`. */
  readonly subject: string;
  readonly now: string;
  readonly expires: string;
  /** When the user authenticated; null without a user. */
  readonly authTime: string | null;
  readonly acr?: string | undefined;
}

/** The claims of an ID token (OpenID Connect Core §2). */
export function idTokenClaims({ settings, claims, publicUrl, ...facts }: IdTokenFacts): Claims {
  const own: Claims = {
    iss: issuerOf(publicUrl, settings.assigned_application_slug, settings.issuer_mode),
    sub: facts.subject,
    aud: settings.client_id,
    exp: seconds(facts.expires),
    iat: seconds(facts.now),
    acr: facts.acr ?? defaultAcr,
  };
  if (facts.authTime !== null) own.auth_time = seconds(facts.authTime);
  return settings.include_claims_in_id_token ? { ...claims, ...own } : own;
}

/** Of a timestamp of our own, which need not be checked for being one. */
export const seconds = (timestamp: string): number => Math.floor(Date.parse(timestamp) / 1000);

export const lengthOf = (validity: string): number => Math.max(parseDuration(validity) ?? 0, 0);
