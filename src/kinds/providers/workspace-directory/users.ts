import type { Json, JsonObject } from '../../../lib/json.ts';
import { randomText } from '../../../platform/random.ts';
import { attributesOf, objectOf, textOf } from '../../../provider/sync/answers.ts';
import { checkDomain } from '../../../provider/sync/check-domain.ts';
import { ObjectRefused, type RemoteType } from '../../../provider/sync/remote.ts';
import type { Send } from '../../../provider/sync/send.ts';
import { holderOf, isSameAddress, naming } from './addresses.ts';
import { customer, type WorkspaceSession } from './connect.ts';
import { pagesOf } from './pages.ts';

/** Of a password that nobody knows: people sign in here. */
const passwordLength = 40;

export function workspaceUsers(session: WorkspaceSession, send: Send): RemoteType {
  const url = `${session.base}/users`;
  const one = (key: string) => `${url}/${encodeURIComponent(key)}`;
  const known = (answer: Json) => {
    const user = objectOf(answer);
    session.addresses.set(user.id, textOf(user.attributes, 'primaryEmail'));
    return user;
  };
  const named = (payload: JsonObject, answer: Promise<Json>) =>
    naming(answer, send, url, 'primaryEmail', textOf(payload, 'primaryEmail'));
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
    async create(payload) {
      const body = { ...payload, password: randomText(passwordLength) };
      return known(await named(payload, send({ method: 'POST', url, body })));
    },
    async update(id, payload) {
      const attributes = attributesOf(await named(payload, send({ method: 'PUT', url: one(id), body: payload })));
      if (attributes) session.addresses.set(id, textOf(attributes, 'primaryEmail'));
      return attributes;
    },
    async remove(id) {
      await send({ method: 'DELETE', url: one(id) });
    },
    async suspend(id) {
      await send({ method: 'PUT', url: one(id), body: { suspended: true } });
    },
    async find(payload) {
      const address = textOf(payload, 'primaryEmail');
      const holder = await holderOf(send, url, address);
      return holder !== null && isSameAddress(textOf(holder, 'primaryEmail'), address) ? [known(holder)] : [];
    },
    read: async (id) => known(await send({ method: 'GET', url: one(id) })),
    async *list() {
      const path = `${url}?customer=${customer}&maxResults=500&orderBy=email`;
      for await (const page of pagesOf(send, path, 'users')) {
        yield page.map((user) => ({ ...known(user), names: [textOf(user, 'primaryEmail')] }));
      }
    },
  };
}
