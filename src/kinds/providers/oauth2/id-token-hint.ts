import type { CompactVerifyResult } from 'jose';
import { loadUserFacts } from '../../../core/mapping/user-facts.ts';
import type { Call } from '../../../resource/call.ts';
import { subjectOf } from './claims.ts';
import { type Client, secretsOf } from './client.ts';
import type { OAuthDependencies } from './dependencies.ts';
import { publicKeys } from './published-keys.ts';
import { issuerOf } from './urls.ts';

export interface HintClaims {
  readonly sub: string;
  readonly sid: string | null;
}

type Dependencies = Pick<OAuthDependencies, 'db' | 'publicUrl' | 'signer'>;
const maxHintLength = 65_536;

/**
 * The claims of an ID token that this server issued to the client; null for anything else. Expiry does
 * not matter (OpenID Connect RP-Initiated Logout §2): it identifies the user, and authenticates nothing.
 */
export async function readHint(
  needs: Dependencies,
  client: Client,
  hint: string,
  now: string,
): Promise<HintClaims | null> {
  if (hint.length > maxHintLength) return null;
  const { compactVerify, createLocalJWKSet, errors } = await import('jose');
  const { assigned_application_slug, issuer_mode, client_id } = client;
  const verify = async (): Promise<CompactVerifyResult | null> => {
    // Our own JWKs; jose types their members more narrowly.
    const keys = async () => ({ keys: (await publicKeys(needs.db.read, needs.signer, client, now)) as never });
    if (client.signingKey) return compactVerify(hint, createLocalJWKSet(await keys()));
    for (const secret of secretsOf(client, now)) {
      const result = await compactVerify(hint, new TextEncoder().encode(secret), { algorithms: ['HS256'] }).catch(
        (error: unknown) => {
          if (error instanceof errors.JWSSignatureVerificationFailed) return null;
          throw error;
        },
      );
      if (result) return result;
    }
    return null;
  };
  try {
    const verified = await verify();
    if (verified?.protectedHeader.typ !== 'JWT') return null;
    const claims = JSON.parse(new TextDecoder().decode(verified.payload));
    const issuer = issuerOf(needs.publicUrl, assigned_application_slug, issuer_mode);
    if (claims.iss !== issuer || claims.aud !== client_id || typeof claims.sub !== 'string') return null;
    return { sub: claims.sub, sid: typeof claims.sid === 'string' ? claims.sid : null };
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError || error instanceof SyntaxError) return null;
    throw error;
  }
}

/** The subject of the caller for this client; null if anonymous. */
export async function subjectOfCaller(
  { installId }: Pick<OAuthDependencies, 'installId'>,
  call: Call,
  { sub_mode }: Client,
): Promise<string | null> {
  const user = call.actor && (await loadUserFacts(call.db.read, call.actor.user.pk));
  return user && subjectOf(sub_mode, user, installId);
}
