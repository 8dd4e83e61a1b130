import { chunksOf } from '../../../lib/chunks.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { groupSchemaId, patchMessageId } from '../../../lib/scim-urns.ts';
import { attributesOf } from '../../../provider/sync/answers.ts';
import { ObjectRefused, RemoteConflict, type RemoteGroups } from '../../../provider/sync/remote.ts';
import type { Send } from '../../../provider/sync/send.ts';
import { temporaryName } from '../../../provider/sync/temporary-name.ts';
import { filterText, idOf, listOf, memberOf, resourceOf, textOf } from './answers.ts';
import { baseOf, type ScimSession, type ScimSettings } from './connect.ts';
import { pagesOf } from './pages.ts';

/** With PATCH, members are added and removed; without, each write names all of them. */
export function scimGroups(settings: ScimSettings, session: ScimSession, send: Send): RemoteGroups {
  const url = `${baseOf(settings)}/Groups`;
  const one = (id: string) => `${url}/${encodeURIComponent(id)}`;
  const member = (value: string): JsonObject =>
    settings.compatibility_mode === 'webex' ? { value, type: 'user' } : { value };
  const patch = (id: string, operations: readonly JsonObject[]): Promise<Json> =>
    send({ method: 'PATCH', url: one(id), body: { schemas: [patchMessageId], Operations: operations } });
  const replace = (id: string, { schemas: _, ...value }: JsonObject) => patch(id, [{ op: 'replace', value }]);

  async function update(id: string, payload: JsonObject): Promise<JsonObject | null> {
    if (session.canPatch) return attributesOf(await replace(id, payload));
    try {
      return attributesOf(await send({ method: 'PUT', url: one(id), body: { ...payload, id } }));
    } catch (error) {
      const isRefusal = error instanceof ObjectRefused || error instanceof RemoteConflict;
      if (!isRefusal || !session.isGuess) throw error;
      // The server did not say that it has no PATCH.
      return attributesOf(await replace(id, payload));
    }
  }

  return {
    complete(mapped, { pk }, members) {
      const inBody = session.canPatch ? {} : { members: members.map(member) };
      const payload: JsonObject = { schemas: [groupSchemaId], externalId: String(pk), ...mapped, ...inBody };
      if (typeof payload.displayName !== 'string' || payload.displayName === '') {
        throw new ObjectRefused('The mappings give no `displayName`.');
      }
      return payload;
    },
    create: async (payload) => resourceOf(await send({ method: 'POST', url, body: payload })),
    update,
    async park(id, payload) {
      await update(id, { ...payload, displayName: temporaryName(textOf(payload, 'displayName')) });
    },
    async remove(id) {
      await send({ method: 'DELETE', url: one(id) });
    },
    suspend: null,
    async find(payload) {
      if (!session.canFilter) return [];
      const name = String(payload.displayName);
      const filter = encodeURIComponent(`displayName eq ${filterText(name)}`);
      const found = listOf(await send({ method: 'GET', url: `${url}?filter=${filter}` }), 'Resources').filter(
        (resource) => textOf(resource, 'displayName') === name,
      );
      const isOwn = (resource: Json) => textOf(resource, 'externalId') === payload.externalId;
      return [...found.filter(isOwn), ...found.filter((resource) => !isOwn(resource))].map(resourceOf);
    },
    read: async (id) => resourceOf(await send({ method: 'GET', url: one(id) })),
    list: () => pagesOf(send, url, (group) => [textOf(group, 'displayName')]),
    members: session.canPatch
      ? {
          list: async (id) =>
            listOf(await send({ method: 'GET', url: one(id) }), 'members').flatMap((entry) => memberId(entry) ?? []),
          async add(id, members) {
            for (const chunk of chunksOf(members, session.maxMembers)) {
              await patch(id, [{ op: 'add', path: 'members', value: chunk.map(member) }]);
            }
          },
          async remove(id, members) {
            for (const chunk of chunksOf(members, session.maxMembers)) {
              await patch(
                id,
                chunk.map((value) => ({ op: 'remove', path: `members[value eq ${filterText(value)}]` })),
              );
            }
          },
        }
      : null,
  };
}

function memberId(entry: Json): string | null {
  const value = memberOf(entry, 'value');
  return value === undefined ? null : idOf({ id: value });
}
