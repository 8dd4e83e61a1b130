import { importPKCS8, SignJWT } from 'jose';
import { isJsonObject, type Json } from '../../../lib/json.ts';
import { createLruCache, type LruCache } from '../../../lib/lru-cache.ts';
import type { GuardedFetch } from '../../../platform/fetch/guarded-fetch.ts';
import { baseUrl } from '../../../provider/sync/base-url.ts';
import { SyncStopped } from '../../../provider/sync/remote.ts';
import { requestToken } from '../../../provider/sync/request-token.ts';
import type { Send } from '../../../provider/sync/send.ts';

export type WorkspaceSettings = {
  readonly delegated_subject: string;
  readonly credentials: Json;
  readonly scopes: string;
  readonly default_group_email_domain: string;
};

export interface WorkspaceSession {
  readonly token: string;
  /** The address of the directory's interface. */
  readonly base: string;
  /** Domains that addresses of the account may have. */
  readonly domains: ReadonlySet<string>;
  /** Addresses of users by id: members are added by address. */
  readonly addresses: LruCache<string>;
}

const publicBase = 'https://admin.googleapis.com/admin/directory/v1';
const publicTokenUri = 'https://oauth2.googleapis.com/token';
const maxAddresses = 20_000;

/** The account whose objects these are: the delegated subject's. */
export const customer = 'my_customer';

/** Signs in as the service account, in the name of the delegated subject, and asks for the domains. */
export async function connect(
  settings: WorkspaceSettings,
  send: Send,
  fetch: GuardedFetch,
): Promise<{ session: WorkspaceSession; validMs: number }> {
  const key = keyOf(settings.credentials);
  const { token, validMs } = await requestToken(fetch, key.tokenUri, {
    grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
    assertion: await assertionOf(key, settings),
  });
  const headers = { authorization: `Bearer ${token}` };
  const answer = await send({ method: 'GET', url: `${key.base}/customer/${customer}/domains`, headers });
  const domains = isJsonObject(answer) && Array.isArray(answer.domains) ? answer.domains : [];
  const names = domains.flatMap((domain) => (isJsonObject(domain) ? String(domain.domainName ?? '') : []));
  const session = {
    ...{ token, base: key.base },
    domains: new Set(names.map((name) => name.toLowerCase())),
    addresses: createLruCache<string>(maxAddresses),
  };
  return { session, validMs };
}

interface ServiceAccountKey {
  readonly email: string;
  readonly privateKey: string;
  readonly keyId: string | undefined;
  readonly tokenUri: string;
  readonly base: string;
}

function memberOf(credentials: Json, name: string): string | undefined {
  const value = isJsonObject(credentials) ? credentials[name] : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Where the directory is; `api_url` is for those at another address. */
export const apiUrlOf = (credentials: Json): string => baseUrl(memberOf(credentials, 'api_url') ?? publicBase);

/** The members of a key file that are needed. */
function keyOf(credentials: Json): ServiceAccountKey {
  const text = (name: string) => memberOf(credentials, name);
  const [email, privateKey] = [text('client_email'), text('private_key')];
  if (!email || !privateKey) throw new SyncStopped('The credentials have no `client_email` or `private_key`.');
  const tokenUri = text('token_uri') ?? publicTokenUri;
  return { email, privateKey, keyId: text('private_key_id'), tokenUri, base: apiUrlOf(credentials) };
}

async function assertionOf(key: ServiceAccountKey, settings: WorkspaceSettings): Promise<string> {
  const algorithm = 'RS256';
  const scope = settings.scopes
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean)
    .join(' ');
  try {
    return await new SignJWT({ scope })
      .setProtectedHeader({ alg: algorithm, typ: 'JWT', ...(key.keyId && { kid: key.keyId }) })
      .setIssuer(key.email)
      .setSubject(settings.delegated_subject)
      .setAudience(key.tokenUri)
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(await importPKCS8(key.privateKey, algorithm));
  } catch {
    // No cause: it may quote the key.
    throw new SyncStopped('The private key of the credentials cannot be read.');
  }
}
