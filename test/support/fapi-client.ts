import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { randomToken } from '../../src/platform/random.ts';
import { type DpopKey, dpopKey } from '../protocol/conformance/dpop-key.ts';
import type { Answer } from './api.ts';
import { challenge, type Fields, post, verifier } from './oauth2.ts';
import { callback, makeRelyingParty, type RelyingParty, type Visit, visitor } from './relying-party.ts';
import type { TestServer } from './server.ts';

type Claims = Readonly<Record<string, unknown>>;

/** A client of the FAPI 2.0 Security Profile, which can be made to break each rule. */
export interface FapiClient {
  readonly party: RelyingParty;
  readonly issuer: string;
  readonly dpop: DpopKey;
  /** The members of a form by which it authenticates. */
  credentials(claims?: Claims, alg?: string): Promise<Fields>;
  push(params?: Fields, credentials?: Fields): Promise<Answer>;
  /** Pushes a request, and sends a user with it. */
  authorize(params?: Fields): Promise<Visit>;
  token(fields: Fields, proof?: string | null, credentials?: Fields): Promise<Answer>;
  /** Goes the whole way. */
  signIn(params?: Fields): Promise<Answer>;
}

export async function fapiClient(server: TestServer, settings: Record<string, unknown> = {}): Promise<FapiClient> {
  const pairs = new Map<string, CryptoKey>();
  const keys = [];
  // Keys that do not name their algorithm: an RSA key could be used for RS256 and for PS256.
  for (const alg of ['ES256', 'PS256', 'RS256']) {
    const { publicKey, privateKey } = await generateKeyPair(alg);
    pairs.set(alg, privateKey);
    keys.push({ ...(await exportJWK(publicKey)), kid: alg });
  }
  const party = await makeRelyingParty(server, { security_profile: 'fapi2', jwks: { keys }, ...settings });
  const { clientId: client_id, slug } = party;
  const { publicUrl } = server.world.config;
  const issuer = `${publicUrl}/application/o/${slug}/`;
  const dpop = await dpopKey();
  const tokenUrl = `${publicUrl}/application/o/token/`;

  const credentials: FapiClient['credentials'] = async (claims = {}, alg = 'ES256') => {
    const now = Math.floor(Date.now() / 1000);
    const usual = { iss: client_id, sub: client_id, aud: issuer, jti: randomToken(), iat: now, exp: now + 60 };
    const client_assertion = await new SignJWT({ ...usual, ...claims })
      .setProtectedHeader({ alg, kid: alg })
      .sign(pairs.get(alg) as CryptoKey);
    return {
      client_id,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion,
    };
  };
  const push: FapiClient['push'] = async (params = {}, by) =>
    post(server, 'par', {
      response_type: 'code',
      redirect_uri: callback,
      scope: 'openid offline_access',
      code_challenge: challenge,
      code_challenge_method: 'S256',
      ...(by ?? (await credentials())),
      ...params,
    });
  const authorize: FapiClient['authorize'] = async (params) => {
    const { status, body } = await push(params);
    if (status !== 201) throw new Error(`not pushed: ${JSON.stringify(body)}`);
    return (await visitor(server)).authorize({ client_id, request_uri: body.request_uri });
  };
  const token: FapiClient['token'] = async (fields, proof, by) => {
    const dpopHeader = proof === undefined ? await dpop.prove(tokenUrl) : proof;
    const headers: Record<string, string> = dpopHeader === null ? {} : { dpop: dpopHeader };
    return post(server, 'token', { ...fields, ...(by ?? (await credentials())) }, headers);
  };
  return {
    party,
    issuer,
    dpop,
    credentials,
    push,
    authorize,
    token,
    async signIn(params) {
      const { location } = await authorize(params);
      return token(codeFields(location?.searchParams.get('code') ?? ''));
    },
  };
}

/** What redeems a code. */
export const codeFields = (code: string): Fields => ({
  grant_type: 'authorization_code',
  code,
  redirect_uri: callback,
  code_verifier: verifier,
});
