import { type Api, apiBy } from '../support/api.ts';
import type { TestServer } from '../support/server.ts';
import { signIn } from '../support/session.ts';

/** The caller of a token, who comes with a session instead where an operation takes no token. */
export async function inPersonWhereNeeded(server: TestServer, api: Api): Promise<Api> {
  const forPeople = server.app.operations
    .filter(({ credentials, anonymous }) => credentials && !credentials.includes('API token') && !anonymous)
    .map(({ method, path }) => ({ method, path: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }));
  const { pk } = (await api.get('/core/users/me/')).body.user;
  let { browser } = await signIn(server, pk);
  return apiBy(async (method, path, body, headers) => {
    const isForPeople = forPeople.some((one) => one.method === method && one.path.test(path.replace(/\?.*/, '')));
    if (!isForPeople) return api.send(method, path, body, headers);
    // Operations that were driven before may have ended the session.
    if ((await browser.get('/core/users/me/')).status !== 200) ({ browser } = await signIn(server, pk));
    return browser.send(method, path, body, headers);
  });
}
