import { isJsonObject, type JsonObject } from '../../../lib/json.ts';
import { isSlugPartial, slugify } from '../../../lib/slugify.ts';
import { objectOf, textOf } from '../../../provider/sync/answers.ts';
import { checkDomain } from '../../../provider/sync/check-domain.ts';
import type { ObjectFacts } from '../../../provider/sync/facts.ts';
import {
  addEach,
  ignoring,
  ObjectRefused,
  RemoteConflict,
  type RemoteGroups,
  RemoteMissing,
} from '../../../provider/sync/remote.ts';
import type { Send } from '../../../provider/sync/send.ts';
import { addressCalls } from './addresses.ts';
import { customer, type WorkspaceSession, type WorkspaceSettings } from './connect.ts';
import { pagesOf } from './pages.ts';

export function workspaceGroups(settings: WorkspaceSettings, session: WorkspaceSession, send: Send): RemoteGroups {
  const url = `${session.base}/groups`;
  const { one, ...calls } = addressCalls(send, url, 'email');
  const addressOf = async (user: string): Promise<string> =>
    session.addresses.get(user) ||
    textOf(await send({ method: 'GET', url: `${session.base}/users/${encodeURIComponent(user)}` }), 'primaryEmail');
  return {
    complete(mapped, facts, _members, known) {
      const email = addressFor(facts, mapped, known, settings.default_group_email_domain);
      const payload: JsonObject = { email, ...mapped };
      if (typeof payload.name !== 'string' || payload.name === '')
        throw new ObjectRefused('The mappings give no `name`.');
      checkDomain(textOf(payload, 'email'), session.domains);
      return payload;
    },
    ...calls,
    async remove(id) {
      await send({ method: 'DELETE', url: one(id) });
    },
    suspend: null,
    read: async (id) => objectOf(await send({ method: 'GET', url: one(id) })),
    async *list() {
      const path = `${url}?customer=${customer}&maxResults=500&orderBy=email`;
      for await (const page of pagesOf(send, path, 'groups')) {
        yield page.map((group) => ({ ...objectOf(group), names: [textOf(group, 'name')] }));
      }
    },
    members: {
      async list(id) {
        const ids: string[] = [];
        for await (const page of pagesOf(send, `${one(id)}/members?maxResults=200`, 'members')) {
          // Groups within groups are not ours to take away.
          const users = page.filter((member) => isJsonObject(member) && (member.type ?? 'USER') === 'USER');
          ids.push(...users.map((member) => textOf(member, 'id')));
        }
        return ids;
      },
      async add(id, members) {
        await addEach(members, async (member) => {
          const body = { email: await addressOf(member), role: 'MEMBER' };
          await ignoring(RemoteConflict, () => send({ method: 'POST', url: `${one(id)}/members`, body }));
        });
      },
      async remove(id, members) {
        for (const member of members) {
          const path = `${one(id)}/members/${encodeURIComponent(member)}`;
          await ignoring(RemoteMissing, () => send({ method: 'DELETE', url: path }));
        }
      },
    },
  };
}

/**
 * The address of a group, by its name. One whose name has no letters for an address, or not all, gets one that no other
 * group has. As long as the directory has the group by the same name it keeps the address it has there.
 */
function addressFor({ pk, name }: ObjectFacts, mapped: JsonObject, known: JsonObject | null, domain: string): string {
  const address = textOf(known ?? {}, 'email');
  const isOfDomain = address.toLowerCase().endsWith(`@${domain.toLowerCase()}`) && !address.startsWith('@');
  if (isOfDomain && textOf(known ?? {}, 'name') === mapped.name) return address;
  const slug = slugify(name);
  const key = String(pk).slice(-keyLength);
  const local = isSlugPartial(name) || slug === '' ? `${slug || 'group'}-${key}` : slug;
  return `${local}@${domain}`;
}

/** The end of a UUID is random; its beginning is a time, which groups of one import share. */
const keyLength = 12;
