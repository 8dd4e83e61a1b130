import { randomText, randomUuid } from '../../src/platform/random.ts';
import { type Document, type JsonRequest, type JsonServer, Refusal, startJsonServer } from './json-server.ts';
import { createLag, type Lag } from './lag.ts';

export interface CloudTarget extends JsonServer {
  readonly users: Map<string, Document>;
  readonly groups: Map<string, Document>;
  readonly members: Map<string, Set<string>>;
  readonly settings: Record<string, unknown>;
  readonly lag: Lag;
  /** Takes all tokens back before their time. */
  revokeTokens(): void;
}

const pageSize = 3;
const secret = 'the-secret-of-a-registered-application';

/** A directory as Microsoft Graph describes it: it checks client credentials and keeps users, groups and members. */
export async function startCloud(): Promise<CloudTarget> {
  const users = new Map<string, Document>();
  const groups = new Map<string, Document>();
  const members = new Map<string, Set<string>>();
  const tokens = new Set<string>();
  const lag = createLag();

  const server = await startJsonServer((request) => {
    const [first, collection = '', key, below, member] = request.segments;
    if (first === 'tenant-1') return grant(request);
    if (!tokens.has(request.headers.authorization?.replace('Bearer ', '') ?? '')) throw new Refusal(401);
    if (collection === 'organization') {
      const next = request.query.get('page') ? {} : { '@odata.nextLink': `${server.origin}/v1.0/organization?page=2` };
      const name = request.query.get('page') ? 'second.example' : 'example.com';
      return { status: 200, body: { value: [{ verifiedDomains: [{ name }] }], ...next } };
    }
    if (collection === 'users') return handle(users, ['userPrincipalName'], request, key);
    if (below === 'members') return handleMembers(request, key ?? '', member);
    return handle(groups, [], request, key);
  });

  function grant({ text }: JsonRequest) {
    const form = new URLSearchParams(text);
    const isRight =
      form.get('grant_type') === 'client_credentials' &&
      form.get('client_id') === 'client-1' &&
      form.get('client_secret') === secret &&
      form.get('scope') === `${server.origin}/.default`;
    if (!isRight) throw new Refusal(401, { error: 'invalid_client' });
    const access_token = randomText(30);
    tokens.add(access_token);
    return { status: 200, body: { access_token, expires_in: 3_600 } };
  }

  /** As the reference of the resource types has it: ASCII without some signs, 64 at most. */
  function checkNickname(nickname: unknown, resource: string): void {
    const isFine = typeof nickname === 'string' && /^[!-~]{1,64}$/.test(nickname) && !/[@()\\[\]";:<>,]/.test(nickname);
    if (isFine && !/^\.|\.\.|\.$/.test(nickname)) return;
    const message = `Invalid value specified for property 'mailNickname' of resource '${resource}'.`;
    throw new Refusal(400, { error: { code: 'Request_BadRequest', message } });
  }

  function paged(all: readonly Document[], { segments, query }: JsonRequest) {
    const from = Number(query.get('$skiptoken') ?? 0);
    const link = `${server.origin}/${segments.join('/')}?$skiptoken=${from + pageSize}`;
    const next = from + pageSize < all.length ? { '@odata.nextLink': link } : {};
    return { status: 200, body: { value: all.slice(from, from + pageSize), ...next } };
  }

  function handle(store: Map<string, Document>, unique: readonly string[], request: JsonRequest, key?: string) {
    const { method, body, query } = request;
    const clashes = (id?: string) =>
      [...store.values()].some(
        (one) => one.id !== id && unique.some((name) => body[name] !== undefined && one[name] === body[name]),
      );
    if (key === undefined && method === 'GET') {
      const [, by = '', value = ''] = /^(\w+) eq '((?:[^']|'')*)'$/.exec(query.get('$filter') ?? '') ?? [];
      const wanted = value.replaceAll("''", "'");
      return by === ''
        ? paged([...store.values()], request)
        : { status: 200, body: { value: [...store.values()].filter((one) => one[by] === wanted) } };
    }
    if (method === 'POST' || (method === 'PATCH' && 'mailNickname' in body)) {
      checkNickname(body.mailNickname, unique.length > 0 ? 'User' : 'Group');
    }
    if (method === 'POST') {
      if (unique.length > 0 && !body.passwordProfile?.password)
        throw new Refusal(400, { error: { message: 'no password' } });
      if (clashes()) {
        throw new Refusal(400, {
          error: { message: 'Another object with the same value for property userPrincipalName already exists.' },
        });
      }
      const id = randomUuid();
      const { passwordProfile: _, ...shown } = body;
      store.set(id, { ...shown, id });
      lag.begin(id);
      return { status: 201, body: store.get(id) };
    }
    const found = store.get(key ?? '');
    if (!found) throw new Refusal(404, { error: { message: 'does not exist' } });
    lag.check(found.id);
    if (method === 'GET') return { status: 200, body: found };
    if (method === 'PATCH') {
      if (clashes(found.id))
        throw new Refusal(400, {
          error: { message: 'Another object with the same value for property userPrincipalName already exists.' },
        });
      Object.assign(found, body);
    } else {
      store.delete(found.id);
      members.delete(found.id);
      for (const ids of members.values()) ids.delete(found.id);
    }
    return { status: 204 };
  }

  function handleMembers(request: JsonRequest, group: string, member?: string) {
    if (!groups.has(group)) throw new Refusal(404);
    lag.check(group);
    const ids = members.get(group) ?? new Set<string>();
    members.set(group, ids);
    if (request.method === 'GET') {
      return paged(
        [...ids].map((id) => ({ '@odata.type': '#microsoft.graph.user', id })),
        request,
      );
    }
    if (request.method === 'POST') {
      const id = String(request.body['@odata.id']).replace(`${server.origin}/v1.0/directoryObjects/`, '');
      if (!users.has(id)) throw new Refusal(404);
      lag.check(id);
      if (ids.has(id)) {
        throw new Refusal(400, { error: { message: 'One or more added object references already exist' } });
      }
      ids.add(id);
      return { status: 204 };
    }
    if (!ids.delete(member ?? '')) throw new Refusal(404);
    return { status: 204 };
  }

  const settings = {
    client_id: 'client-1',
    client_secret: secret,
    tenant_id: 'tenant-1',
    login_url: server.origin,
    graph_url: server.origin,
  };
  const revokeTokens = () => tokens.clear();
  return Object.assign(server, { users, groups, members, settings, lag, revokeTokens });
}
