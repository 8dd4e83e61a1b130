import { hash } from 'node:crypto';
import type { OAuthSource } from './oauth-model.ts';
import { rulesOf } from './type-rules.ts';

interface Request {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string | null;
  readonly verifier: string;
  readonly loginHint: string | null;
  /** The parameters that request reauthentication. */
  readonly again: Readonly<Record<string, string>>;
}

/** The authorization URL. Parameters of the configured URL are kept, except those that secure the request. */
export function authorizeUrl(source: OAuthSource, address: string, request: Request): string {
  const { params = {} } = rulesOf(source.provider_type);
  const url = new URL(address);
  const { loginHint, nonce } = request;
  const scope = scopesOf(source).join(' ');
  const usual = { ...params, ...(scope && { scope }), ...(loginHint !== null && { login_hint: loginHint }) };
  for (const [name, value] of Object.entries(usual)) {
    if (!url.searchParams.has(name)) url.searchParams.set(name, value);
  }
  const fixed = {
    client_id: request.clientId,
    redirect_uri: request.redirectUri,
    response_type: 'code',
    state: request.state,
    code_challenge: hash('sha256', request.verifier, 'base64url'),
    code_challenge_method: 'S256',
    ...(nonce !== null && { nonce }),
    ...request.again,
  };
  for (const [name, value] of Object.entries(fixed)) url.searchParams.set(name, value);
  return url.href;
}

/** Those of the type and those that were added; a star in front of the latter replaces the former. */
export function scopesOf({ provider_type, additional_scopes }: OAuthSource): string[] {
  const isOnlyOwn = additional_scopes.startsWith('*');
  const added = additional_scopes
    .replace(/^\*/, '')
    .split(/\s+/)
    .filter((scope) => scope !== '');
  return [...new Set([...(isOnlyOwn ? [] : rulesOf(provider_type).scopes), ...added])].sort();
}
