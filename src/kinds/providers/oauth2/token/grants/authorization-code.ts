import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { equalInConstantTime } from '../../../../../lib/constant-time.ts';
import { statement } from '../../../../../platform/db/statement.ts';
import type { GrantTerms } from '../../grants.ts';
import { OAuthError } from '../../oauth-error.ts';
import { type GrantKind, GrantReused } from '../grant-kind.ts';

interface CodeRow {
  readonly pk: number;
  readonly provider: number;
  readonly user: number;
  readonly session: string | null;
  readonly auth_time: string;
  readonly expires: string | null;
  readonly scope: string;
  readonly family: string;
  readonly terms: string;
  readonly redirect_uri: string;
  readonly nonce: string;
  readonly code_challenge: string;
  readonly code_challenge_method: string;
  readonly consumed: string | null;
}

const byHash = statement<[hash: string], CodeRow>(
  (hash) => sql`select * from oauth2_authorization_codes where code_hash = ${hash}`,
);
const markUsed = statement<[pk: number, now: string], { pk: number }>(
  (pk, now) => sql`update oauth2_authorization_codes set consumed = ${now}
    where pk = ${pk} and consumed is null returning pk`,
);

const wrong = () => new OAuthError('invalid_grant', 'The authorization code is invalid or expired.');

/** RFC 6749 §4.1.3 with RFC 7636 */
export const authorizationCode: GrantKind = {
  grantType: 'authorization_code',
  isAuthorization: false,
  async redeem({ needs, call, params, by: { client } }) {
    const code = params.require('code');
    const [row] = await byHash(call.db.read, needs.key.hash(code));
    if (!row || row.provider !== client.pk || row.expires === null || row.expires <= call.now) throw wrong();
    if (row.consumed !== null) throw new GrantReused(row.family);
    checkRedirectUri(row, params.get('redirect_uri'));
    checkVerifier(row, params.get('code_verifier'), client.client_type === 'public');
    const granted: string[] = JSON.parse(row.scope);
    const terms: GrantTerms = JSON.parse(row.terms);
    return {
      user: row.user,
      // Clients need not send a scope here; those that do get no more than was granted.
      scope: { allowed: new Set(granted), default: granted },
      family: row.family,
      session: row.session,
      authTime: row.auth_time,
      terms: { ...terms, ...(row.nonce !== '' && { nonce: row.nonce }) },
      gives: { id: true, refresh: true },
      async consume(tx) {
        if ((await markUsed(tx, row.pk, call.now)).length === 0) throw new GrantReused(row.family);
      },
    };
  },
};

/** RFC 6749 §4.1.3: required if it was in the authorization request, and then identical. */
function checkRedirectUri({ redirect_uri }: CodeRow, given: string | undefined): void {
  if (given === undefined ? redirect_uri !== '' : given !== redirect_uri) {
    throw new OAuthError('invalid_grant', 'redirect_uri does not match the authorization request.');
  }
}

/**
 * RFC 7636 §4.6, RFC 9700 §2.1.1. The stored challenge demands a verifier, and a verifier demands a stored challenge:
 * otherwise the challenge was removed on the way (PKCE downgrade).
 */
function checkVerifier(row: CodeRow, verifier: string | undefined, isPublic: boolean): void {
  const { code_challenge: challenge, code_challenge_method: method } = row;
  const refuse = (text: string) => new OAuthError('invalid_grant', text);
  if (challenge === '') {
    if (isPublic) throw refuse('A public client needs PKCE.');
    if (verifier !== undefined) throw refuse('The authorization was begun without a code_challenge.');
    return;
  }
  if (verifier === undefined) throw refuse('code_verifier is missing.');
  if (!/^[A-Za-z0-9._~-]{43,128}$/.test(verifier)) throw refuse('code_verifier is malformed.');
  if (isPublic && method !== 'S256') throw refuse('A public client needs PKCE with S256.');
  const derived = method === 'S256' ? hash('sha256', verifier, 'base64url') : verifier;
  if (!equalInConstantTime(derived, challenge)) throw refuse('code_verifier does not belong to the code.');
}
