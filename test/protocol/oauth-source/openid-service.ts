import { exportJWK, type GenerateKeyPairResult, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { json, type Service, type ServiceAnswer, type ServiceRequest, startService } from '../../support/service.ts';

/** An OpenID provider that says what a test wants it to say. */
export interface OpenIdService extends Service {
  /** Whoever signs in next. */
  person: Record<string, unknown>;
  /** What the next sign-in expects in its ID token. */
  nonce: string;
  /** Changes to what it answers with. */
  claims: Record<string, unknown>;
  header: Record<string, unknown>;
  token: Record<string, unknown>;
  userinfo: Record<string, unknown>;
  configuration: Record<string, unknown>;
  override: Record<string, (request: ServiceRequest) => ServiceAnswer | Promise<ServiceAnswer>>;
  /** Takes a new key into use. */
  rotate(): Promise<void>;
  /** Signs a document with the key in use. */
  sign(payload: Record<string, unknown>, header?: Record<string, unknown>): Promise<string>;
  /** Signs the next ID token. */
  prepare(nonce: string): Promise<void>;
  reset(): Promise<void>;
}

export const clientId = 'gatehouse';
export const clientSecret = 'a secret: with+odd/characters';

export async function startOpenId(): Promise<OpenIdService> {
  const service = await startService();
  let keys: { kid: string; pair: GenerateKeyPairResult }[] = [];
  let idToken = '';
  let counted = 0;

  async function newKey(): Promise<void> {
    counted += 1;
    keys = [{ kid: `key-${counted}`, pair: await generateKeyPair('ES256', { extractable: true }) }];
  }
  let published: unknown[] = [];
  const publish = async () => {
    published = await Promise.all(
      keys.map(async ({ kid, pair }) => ({ ...(await exportJWK(pair.publicKey)), kid, alg: 'ES256', use: 'sig' })),
    );
  };
  const fresh = () => ({
    person: { sub: 'ada-1', preferred_username: 'ada', name: 'Ada', email: 'ada@example.com', email_verified: true },
    nonce: '',
    claims: {},
    header: {},
    token: {},
    userinfo: {},
    configuration: {},
    override: {},
  });
  const peer: OpenIdService = Object.assign(service, fresh(), {
    async rotate() {
      await newKey();
      await publish();
    },
    async sign(payload: Record<string, unknown>, header: Record<string, unknown> = {}) {
      const [key] = keys;
      if (!key) throw new Error('no key');
      return new SignJWT(payload as JWTPayload)
        .setProtectedHeader({ alg: 'ES256', kid: key.kid, ...header })
        .sign(key.pair.privateKey);
    },
    async prepare(nonce: string) {
      const now = Math.floor(Date.now() / 1000);
      const payload: Record<string, unknown> = {
        ...{ iss: service.url, aud: clientId, iat: now, exp: now + 300, auth_time: now, nonce },
        ...peer.person,
        ...peer.claims,
      };
      idToken = await peer.sign(payload, peer.header);
    },
    async reset() {
      Object.assign(peer, fresh());
      service.requests.length = 0;
      if (published.length === 0) await peer.rotate();
    },
  });
  await peer.rotate();

  service.answer = (request) => {
    const path = request.path.split('?')[0] ?? '';
    const own = peer.override[path];
    if (own) return own(request);
    switch (path) {
      case '/discovery':
      case '/.well-known/openid-configuration':
        return json({
          issuer: service.url,
          authorization_endpoint: `${service.url}/authorize`,
          token_endpoint: `${service.url}/token`,
          userinfo_endpoint: `${service.url}/userinfo`,
          jwks_uri: `${service.url}/jwks`,
          ...peer.configuration,
        });
      case '/jwks':
        return json({ keys: published });
      case '/token':
        return json({ access_token: 'at-1', token_type: 'Bearer', expires_in: 3600, id_token: idToken, ...peer.token });
      case '/userinfo':
        return json({ ...peer.person, ...peer.userinfo });
      default:
        return json({}, 404);
    }
  };
  return peer;
}
