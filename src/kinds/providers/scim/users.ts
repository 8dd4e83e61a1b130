import type { JsonObject } from '../../../lib/json.ts';
import { userSchemaId } from '../../../lib/scim-urns.ts';
import { attributesOf } from '../../../provider/sync/answers.ts';
import { ObjectRefused, type RemoteType } from '../../../provider/sync/remote.ts';
import type { Send } from '../../../provider/sync/send.ts';
import { temporaryName } from '../../../provider/sync/temporary-name.ts';
import { filterText, listOf, resourceOf, textOf } from './answers.ts';
import { baseOf, type ScimSession, type ScimSettings } from './connect.ts';
import { pagesOf } from './pages.ts';

/** What Amazon's server refuses, and what it takes one of. */
const foreignToAws = new Set(['photos', 'ims', 'entitlements', 'x509Certificates']);
const onceForAws = new Set(['emails', 'addresses', 'phoneNumbers']);

export function scimUsers(settings: ScimSettings, { canFilter }: ScimSession, send: Send): RemoteType {
  const url = `${baseOf(settings)}/Users`;
  const one = (id: string) => `${url}/${encodeURIComponent(id)}`;
  const put = (id: string, payload: JsonObject) => send({ method: 'PUT', url: one(id), body: { ...payload, id } });
  return {
    complete(mapped, { uid = '' }) {
      // Passwords stay here, whatever a mapping says.
      const { password: _, ...rest } = mapped;
      const payload: JsonObject = { schemas: [userSchemaId], externalId: uid, ...rest };
      if (typeof payload.userName !== 'string' || payload.userName === '') {
        throw new ObjectRefused('The mappings give no `userName`.');
      }
      return settings.compatibility_mode === 'aws' ? forAws(payload) : payload;
    },
    create: async (payload) => resourceOf(await send({ method: 'POST', url, body: payload })),
    update: async (id, payload) => attributesOf(await put(id, payload)),
    async park(id, payload) {
      await put(id, { ...payload, userName: temporaryName(textOf(payload, 'userName')) });
    },
    async remove(id) {
      await send({ method: 'DELETE', url: one(id) });
    },
    suspend: null,
    async find(payload) {
      if (!canFilter) return [];
      const userName = String(payload.userName);
      const filter = encodeURIComponent(`userName eq ${filterText(userName)}`);
      const answer = await send({ method: 'GET', url: `${url}?filter=${filter}` });
      // A server may understand a filter less strictly than it is meant.
      const isSame = (name: string) => name.toLowerCase() === userName.toLowerCase();
      return listOf(answer, 'Resources')
        .filter((resource) => isSame(textOf(resource, 'userName')))
        .map(resourceOf);
    },
    read: async (id) => resourceOf(await send({ method: 'GET', url: one(id) })),
    list: () =>
      pagesOf(send, url, (user) => [
        textOf(user, 'userName'),
        ...listOf(user, 'emails').map((email) => textOf(email, 'value')),
      ]),
  };
}

const forAws = (payload: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(payload)
      .filter(([name]) => !foreignToAws.has(name))
      .map(([name, value]) => [name, onceForAws.has(name) && Array.isArray(value) ? value.slice(0, 1) : value]),
  );
