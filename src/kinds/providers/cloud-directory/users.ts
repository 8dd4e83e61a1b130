import { randomText } from '../../../platform/random.ts';
import { objectOf, textOf } from '../../../provider/sync/answers.ts';
import { checkDomain } from '../../../provider/sync/check-domain.ts';
import type { RemoteType } from '../../../provider/sync/remote.ts';
import type { Send } from '../../../provider/sync/send.ts';
import { temporaryName } from '../../../provider/sync/temporary-name.ts';
import { type CloudSession, pagesOf } from './connect.ts';
import { membersOf, sharedCalls } from './objects.ts';

const read = [
  ...['businessPhones', 'displayName', 'givenName', 'jobTitle', 'mail', 'mobilePhone', 'officeLocation'],
  ...['preferredLanguage', 'surname', 'userPrincipalName', 'id', 'onPremisesImmutableId'],
];
/** The length of a random password: users sign in here. */
const passwordLength = 40;

export function cloudUsers(session: CloudSession, send: Send): RemoteType {
  const url = `${session.base}/users`;
  const { one, ...shared } = sharedCalls(send, url, 'userPrincipalName', read);
  return {
    ...shared,
    complete(mapped) {
      // Passwords stay here, whatever a mapping says.
      const { passwordProfile: _, password: __, ...payload } = membersOf(mapped);
      const name = textOf(payload, 'userPrincipalName');
      if (name !== '') checkDomain(name, session.domains);
      return payload;
    },
    async create(payload) {
      const passwordProfile = { password: randomText(passwordLength), forceChangePasswordNextSignIn: false };
      return shared.create({ ...payload, passwordProfile });
    },
    async park(id, payload) {
      const userPrincipalName = temporaryName(textOf(payload, 'userPrincipalName'));
      await send({ method: 'PATCH', url: one(id), body: { userPrincipalName } });
    },
    async suspend(id) {
      await send({ method: 'PATCH', url: one(id), body: { accountEnabled: false } });
    },
    async *list() {
      for await (const page of pagesOf(send, `${url}?$select=${read.join(',')}`, session.base)) {
        yield page.map((user) => ({
          ...objectOf(user),
          names: [textOf(user, 'mail'), textOf(user, 'userPrincipalName')].filter(Boolean),
        }));
      }
    },
  };
}
