import { type Document, type JsonRequest, type JsonServer, Refusal, startJsonServer } from './json-server.ts';
import { targetToken } from './scimmy-target.ts';

export interface ScimTarget extends JsonServer {
  readonly users: Map<string, Document>;
  readonly groups: Map<string, Document>;
  readonly settings: Record<string, unknown>;
  /** As a new server that has never had anything: its ids begin again. */
  empty(): void;
}

export interface ScimTargetOptions {
  readonly patch?: boolean;
  /** The ServiceProviderConfig; null answers 404. */
  readonly config?: Document;
  /** Changes what is answered before it goes out. */
  readonly shown?: (body: Document, request: JsonRequest) => Document;
  readonly idOf?: (number: number) => string | number;
}

/** A SCIM server that does as it is told, mistakes included. */
export async function startScimTarget({
  patch = true,
  config = { patch: { supported: patch }, filter: { supported: true, maxResults: 100 }, bulk: { supported: false } },
  shown = (body) => body,
  idOf = (number) => `id-${number}`,
}: ScimTargetOptions = {}): Promise<ScimTarget> {
  const users = new Map<string, Document>();
  const groups = new Map<string, Document>();
  let number = 0;

  const server = await startJsonServer((request) => {
    if (request.headers.authorization !== `Bearer ${targetToken}`) throw new Refusal(401, { detail: 'not this token' });
    const [, collection = '', id] = request.segments;
    if (/^ServiceProviderConfigs?$/.test(collection)) {
      if (config === null) throw new Refusal(404, { detail: 'no such thing' });
      return { status: 200, body: config };
    }
    const isUsers = collection === 'Users';
    const answer = handle(isUsers ? users : groups, isUsers ? 'userName' : 'displayName', request, id);
    return answer.body === undefined ? answer : { ...answer, body: shown(answer.body, request) };
  });

  function handle(store: Map<string, Document>, by: string, { method, body, query }: JsonRequest, id?: string) {
    const clash = [...store.values()].find((one) => body[by] !== undefined && one[by] === body[by]);
    if (id === undefined && method === 'GET') return { status: 200, body: listed([...store.values()], query) };
    if (method === 'POST') {
      if (clash) throw new Refusal(409, { scimType: 'uniqueness', detail: `${body[by]} exists` });
      number += 1;
      const made = { ...body, id: idOf(number) };
      store.set(String(made.id), made);
      return { status: 201, body: made };
    }
    const found = store.get(id ?? '');
    if (!found) throw new Refusal(404, { detail: 'not found' });
    if (method === 'GET') return { status: 200, body: found };
    if (method === 'DELETE') {
      store.delete(id ?? '');
      for (const group of groups.values())
        group.members = (group.members ?? []).filter((one: Document) => one.value !== id);
      return { status: 204 };
    }
    if (clash && clash !== found) throw new Refusal(409, { detail: 'exists' });
    if (method === 'PUT') {
      store.set(id ?? '', { ...body, id: found.id });
      return { status: 200, body: store.get(id ?? '') };
    }
    if (!patch) throw new Refusal(405, { detail: 'no PATCH here' });
    for (const operation of body.Operations) apply(found, operation);
    return { status: 200, body: found };
  }

  function apply(found: Document, { op, path, value }: Document): void {
    const members: Document[] = found.members ?? [];
    const [, gone] = /^members\[value eq "(.*)"\]$/.exec(path ?? '') ?? [];
    if (op === 'replace' && path === undefined) Object.assign(found, value);
    else if (op === 'add' && path === 'members') {
      const known = new Set(members.map((one) => one.value));
      found.members = [...members, ...value.filter((one: Document) => !known.has(one.value))];
    } else if (op === 'remove' && gone !== undefined) {
      if (!members.some((one) => one.value === gone))
        throw new Refusal(400, { scimType: 'noTarget', detail: 'no such member' });
      found.members = members.filter((one) => one.value !== gone);
    } else throw new Refusal(400, { scimType: 'invalidPath', detail: 'not understood' });
  }

  function listed(all: readonly Document[], query: URLSearchParams): Document {
    const [, by = '', text = ''] = /^(\w+) eq (".*")$/.exec(query.get('filter') ?? '') ?? [];
    const wanted = by === '' ? all : all.filter((one) => one[by] === JSON.parse(text));
    const startIndex = Number(query.get('startIndex') ?? 1);
    const Resources = wanted.slice(startIndex - 1, startIndex - 1 + Number(query.get('count') ?? 100));
    return { totalResults: wanted.length, itemsPerPage: Resources.length, startIndex, Resources };
  }

  const empty = () => {
    users.clear();
    groups.clear();
    number = 0;
  };
  return Object.assign(server, { users, groups, empty, settings: { url: `${server.origin}/v2`, token: targetToken } });
}
