import { objectOf, textOf } from '../../../provider/sync/answers.ts';
import { addEach, ignoring, ObjectRefused, type RemoteGroups, RemoteMissing } from '../../../provider/sync/remote.ts';
import type { Send } from '../../../provider/sync/send.ts';
import { type CloudSession, pagesOf } from './connect.ts';
import { membersOf, sharedCalls } from './objects.ts';

const isUser = /^(#microsoft\.graph\.user)?$/;

export function cloudGroups(session: CloudSession, send: Send): RemoteGroups {
  const url = `${session.base}/groups`;
  const { one, ...shared } = sharedCalls(send, url, 'displayName');
  return {
    ...shared,
    complete(mapped) {
      const payload = membersOf(mapped);
      if (textOf(payload, 'displayName') === '') throw new ObjectRefused('The mappings give no `displayName`.');
      return payload;
    },
    suspend: null,
    // Names of groups need not be unique.
    park: null,
    async *list() {
      for await (const page of pagesOf(send, url, session.base)) {
        yield page.map((group) => ({ ...objectOf(group), names: [textOf(group, 'displayName')].filter(Boolean) }));
      }
    },
    members: {
      async list(id) {
        const ids: string[] = [];
        for await (const page of pagesOf(send, `${one(id)}/members?$select=id`, session.base)) {
          // Groups and devices within groups are not ours to take away.
          ids.push(...page.filter((one) => isUser.test(textOf(one, '@odata.type'))).map((one) => textOf(one, 'id')));
        }
        return ids;
      },
      async add(id, members) {
        await addEach(members, async (member) => {
          const body = { '@odata.id': `${session.base}/directoryObjects/${member}` };
          try {
            await send({ method: 'POST', url: `${one(id)}/members/$ref`, body });
          } catch (error) {
            // Who is a member already is refused like anything that is wrong.
            if (!(error instanceof ObjectRefused) || !/already exist/i.test(error.message)) throw error;
          }
        });
      },
      async remove(id, members) {
        for (const member of members) {
          const path = `${one(id)}/members/${encodeURIComponent(member)}/$ref`;
          await ignoring(RemoteMissing, () => send({ method: 'DELETE', url: path }));
        }
      },
    },
  };
}
