import type { JsonObject } from '../../../lib/json.ts';
import { randomText } from '../../../platform/random.ts';
import { objectOf, textOf } from '../../../provider/sync/answers.ts';
import { checkDomain } from '../../../provider/sync/check-domain.ts';
import { ObjectRefused, type RemoteObject, type RemoteType } from '../../../provider/sync/remote.ts';
import type { Send } from '../../../provider/sync/send.ts';
import { addressCalls } from './addresses.ts';
import { customer, type WorkspaceSession } from './connect.ts';
import { pagesOf } from './pages.ts';

/** The length of a random password: users sign in here. */
const passwordLength = 40;

export function workspaceUsers(session: WorkspaceSession, send: Send): RemoteType {
  const url = `${session.base}/users`;
  const { one, ...calls } = addressCalls(send, url, 'primaryEmail');
  const known = (user: RemoteObject) => {
    session.addresses.set(user.id, textOf(user.attributes, 'primaryEmail'));
    return user;
  };
  return {
    complete(mapped, { email = '' }) {
      // Passwords stay here, whatever a mapping says.
      const { password: _, hashFunction: __, ...rest } = mapped;
      const payload: JsonObject = { primaryEmail: email, ...rest };
      const { primaryEmail, emails } = payload;
      if (typeof primaryEmail !== 'string' || primaryEmail === '') {
        throw new ObjectRefused('The user has no email address.');
      }
      checkDomain(primaryEmail, session.domains);
      for (const entry of Array.isArray(emails) ? emails : []) checkDomain(textOf(entry, 'address'), session.domains);
      return payload;
    },
    create: async (payload) => known(await calls.create({ ...payload, password: randomText(passwordLength) })),
    async update(id, payload) {
      const attributes = await calls.update(id, payload);
      if (attributes) session.addresses.set(id, textOf(attributes, 'primaryEmail'));
      return attributes;
    },
    park: calls.park,
    async remove(id) {
      await send({ method: 'DELETE', url: one(id) });
    },
    async suspend(id) {
      await send({ method: 'PUT', url: one(id), body: { suspended: true } });
    },
    find: async (payload) => (await calls.find(payload)).map(known),
    read: async (id) => known(objectOf(await send({ method: 'GET', url: one(id) }))),
    async *list() {
      const path = `${url}?customer=${customer}&maxResults=500&orderBy=email`;
      for await (const page of pagesOf(send, path, 'users')) {
        yield page.map((user) => ({ ...known(objectOf(user)), names: [textOf(user, 'primaryEmail')] }));
      }
    },
  };
}
