import { makeSource, unique } from '../../api/sources/fixtures.ts';
import { type Answer, apiFor, type HeaderMap } from '../../support/api.ts';
import type { TestServer } from '../../support/server.ts';

export const urns = {
  user: 'urn:ietf:params:scim:schemas:core:2.0:User',
  group: 'urn:ietf:params:scim:schemas:core:2.0:Group',
  enterprise: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
  patch: 'urn:ietf:params:scim:api:messages:2.0:PatchOp',
  list: 'urn:ietf:params:scim:api:messages:2.0:ListResponse',
  error: 'urn:ietf:params:scim:api:messages:2.0:Error',
  search: 'urn:ietf:params:scim:api:messages:2.0:SearchRequest',
  bulk: 'urn:ietf:params:scim:api:messages:2.0:BulkRequest',
};

export interface ScimClient {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies freely
  readonly source: any;
  readonly token: string;
  readonly root: string;
  send(method: string, path: string, body?: unknown, headers?: HeaderMap): Promise<Answer>;
  get(path: string, headers?: HeaderMap): Promise<Answer>;
  /** A new user or group; throws when it is not made. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies freely
  user(values?: Record<string, unknown>): Promise<any>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies freely
  group(values?: Record<string, unknown>): Promise<any>;
  patch(path: string, ...operations: unknown[]): Promise<Answer>;
  /** What of the resources of a list a filter finds, by this member. */
  find(endpoint: 'Users' | 'Groups', filter: string, member?: string): Promise<unknown>;
}

/** A new source, and a client that has its token. */
export async function scimClient(server: TestServer, values: Record<string, unknown> = {}): Promise<ScimClient> {
  const source = await makeSource(server, 'scim', values);
  const { body } = await server.admin.get(`/core/tokens/${source.token_obj.identifier}/view_key/`);
  const token: string = body.key;
  const root = `/source/scim/${source.slug}/v2`;
  const api = apiFor(server.url, { authorization: `Bearer ${token}` });
  const send: ScimClient['send'] = (method, path, sent, headers) =>
    api.send(method, `${root}${path}`, sent, {
      ...(sent !== undefined && { 'content-type': 'application/scim+json' }),
      ...headers,
    });
  const make = async (path: string, sent: unknown) => {
    const made = await send('POST', path, sent);
    if (made.status !== 201) throw new Error(made.text);
    return made.body;
  };
  return {
    source,
    token,
    root,
    send,
    get: (path, headers) => send('GET', path, undefined, headers),
    user: (own = {}) => make('/Users', { schemas: [urns.user], userName: unique('user'), ...own }),
    group: (own = {}) => make('/Groups', { schemas: [urns.group], displayName: unique('group'), ...own }),
    patch: (path, ...Operations) => send('PATCH', path, { schemas: [urns.patch], Operations }),
    async find(endpoint, filter, member = 'id') {
      const answer = await send('GET', `/${endpoint}?filter=${encodeURIComponent(filter)}`);
      if (answer.status !== 200) return answer.body;
      return answer.body.Resources.map((resource: Record<string, unknown>) => resource[member]);
    },
  };
}
