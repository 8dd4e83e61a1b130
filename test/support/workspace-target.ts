import { generateKeyPairSync } from 'node:crypto';
import { type JWTPayload, jwtVerify } from 'jose';
import { randomText } from '../../src/platform/random.ts';
import { type Document, type JsonRequest, type JsonServer, Refusal, startJsonServer } from './json-server.ts';
import { createLag, type Lag } from './lag.ts';

export interface WorkspaceTarget extends JsonServer {
  readonly users: Map<string, Document>;
  readonly groups: Map<string, Document>;
  /** Ids of members by the id of their group. */
  readonly members: Map<string, Set<string>>;
  /** The claims of the assertions that were taken. */
  readonly assertions: JWTPayload[];
  readonly settings: Record<string, unknown>;
  readonly lag: Lag;
  /** Takes all tokens back before their time. */
  revokeTokens(): void;
}

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const email = 'sync@project.iam.example';
const pageSize = 3;

/**
 * A directory as the Admin SDK's Directory API describes it: it verifies assertions and keeps users, groups and
 * members.
 */
export async function startWorkspace({ keepsAliases = true } = {}): Promise<WorkspaceTarget> {
  const users = new Map<string, Document>();
  const groups = new Map<string, Document>();
  const members = new Map<string, Set<string>>();
  const assertions: JWTPayload[] = [];
  const tokens = new Set<string>();
  const lag = createLag();
  let number = 100_000;

  const server = await startJsonServer(async (request) => {
    const [first, ...rest] = request.segments;
    if (first === 'token') return grant(request);
    if (!tokens.has(request.headers.authorization?.replace('Bearer ', '') ?? '')) throw new Refusal(401);
    const [, , , collection = '', key, below, member] = [first, ...rest];
    if (collection === 'customer') {
      return { status: 200, body: { domains: [{ domainName: 'example.com' }, { domainName: 'second.example' }] } };
    }
    if (below === 'aliases') return deleteAlias(request, collection === 'users' ? users : groups, key, member);
    if (collection === 'users') return handle(users, 'primaryEmail', 'users', request, key);
    if (below === 'members') return handleMembers(request, find(groups, key), member);
    return handle(groups, 'email', 'groups', request, key);
  });

  async function grant({ text }: JsonRequest) {
    const form = new URLSearchParams(text);
    if (form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer') throw new Refusal(400);
    const tokenUri = `${server.origin}/token`;
    const verified = await jwtVerify(form.get('assertion') ?? '', publicKey, {
      audience: tokenUri,
      issuer: email,
      algorithms: ['RS256'],
      requiredClaims: ['exp', 'iat', 'sub', 'scope'],
    }).catch(() => {
      throw new Refusal(400, { error: 'invalid_grant' });
    });
    assertions.push(verified.payload);
    const access_token = randomText(30);
    tokens.add(access_token);
    return { status: 200, body: { access_token, expires_in: 3_600, token_type: 'Bearer' } };
  }

  const addressesOf = (one: Document): string[] =>
    [one.primaryEmail ?? one.email ?? '', ...(one.aliases ?? [])].map((address) => address.toLowerCase());

  /** By id, address or alias, as the reference says of `userKey` and `groupKey`. */
  const lookUp = (store: Map<string, Document>, key = '') =>
    store.get(key) ?? [...store.values()].find((one) => addressesOf(one).includes(key.toLowerCase()));

  /** Users and groups share their addresses, aliases included. */
  function checkFree(address: string, id?: string): void {
    const holder = lookUp(users, address) ?? lookUp(groups, address);
    if (holder && holder.id !== id) {
      const message = 'Entity already exists.';
      throw new Refusal(409, {
        error: { code: 409, message, errors: [{ domain: 'global', reason: 'duplicate', message }] },
      });
    }
  }

  function deleteAlias({ method }: JsonRequest, store: Map<string, Document>, key?: string, alias = '') {
    const found = find(store, key);
    if (method !== 'DELETE' || !found.aliases?.includes(alias)) throw new Refusal(404);
    found.aliases = found.aliases.filter((one: string) => one !== alias);
    return { status: 204 };
  }

  function find(store: Map<string, Document>, key = ''): Document {
    const found = lookUp(store, key);
    if (!found) throw new Refusal(404, { error: { message: `Resource Not Found: ${key}` } });
    lag.check(found.id);
    return found;
  }

  function paged(member: string, all: readonly Document[], { query }: JsonRequest) {
    const from = Number(query.get('pageToken') ?? 0);
    const next = from + pageSize < all.length ? { nextPageToken: String(from + pageSize) } : {};
    return { status: 200, body: { [member]: all.slice(from, from + pageSize), ...next } };
  }

  function handle(store: Map<string, Document>, by: string, member: string, request: JsonRequest, key?: string) {
    const { method, body, query } = request;
    if (key === undefined && method === 'GET') {
      if (query.get('customer') !== 'my_customer') throw new Refusal(400);
      return paged(member, [...store.values()], request);
    }
    if (method === 'POST') {
      if (!body[by] || (member === 'users' && !(body.password && body.name)))
        throw new Refusal(400, { error: { message: 'Invalid Input' } });
      if (String(body[by]).startsWith('@')) throw new Refusal(400, { error: { message: `Invalid Input: ${by}` } });
      checkFree(body[by]);
      number += 1;
      const { password: _, ...shown } = body;
      store.set(String(number), { ...shown, id: String(number) });
      lag.begin(String(number));
      return { status: 200, body: store.get(String(number)) };
    }
    const found = find(store, key);
    if (method === 'GET') return { status: 200, body: found };
    if (method === 'DELETE') {
      store.delete(found.id);
      members.delete(found.id);
      for (const ids of members.values()) ids.delete(found.id);
      return { status: 204 };
    }
    const [former, next] = [found[by], body[by] ?? found[by]];
    checkFree(next, found.id);
    // Mail to the former address still arrives.
    const kept = [...(found.aliases ?? []), ...(keepsAliases ? [former] : [])].filter(
      (one) => one.toLowerCase() !== next.toLowerCase(),
    );
    Object.assign(found, body, { id: found.id, aliases: [...new Set(kept)] });
    return { status: 200, body: found };
  }

  function handleMembers(request: JsonRequest, group: Document, member?: string) {
    const ids = members.get(group.id) ?? new Set<string>();
    members.set(group.id, ids);
    if (request.method === 'GET') {
      return paged(
        'members',
        [...ids].map((id) => ({ id, email: users.get(id)?.primaryEmail, type: 'USER' })),
        request,
      );
    }
    if (request.method === 'POST') {
      const user = find(users, request.body.email);
      if (ids.has(user.id)) throw new Refusal(409, { error: { message: 'Member already exists.' } });
      ids.add(user.id);
      return { status: 200, body: { id: user.id } };
    }
    const user = find(users, member);
    if (!ids.delete(user.id)) throw new Refusal(404);
    return { status: 204 };
  }

  const settings = {
    delegated_subject: 'admin@example.com',
    default_group_email_domain: 'example.com',
    credentials: {
      type: 'service_account',
      client_email: email,
      private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
      private_key_id: 'key-1',
      token_uri: `${server.origin}/token`,
      api_url: `${server.origin}/admin/directory/v1`,
    },
  };
  const revokeTokens = () => tokens.clear();
  return Object.assign(server, { users, groups, members, assertions, settings, lag, revokeTokens });
}
