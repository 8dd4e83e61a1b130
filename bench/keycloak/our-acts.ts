import { clientAddress } from '../drive.ts';
import { benchPassword, type Loaded, rareWord } from '../load.ts';
import type { LoadedOAuth } from '../oauth/load.ts';
import { type ReadyRequest, redeemForm, type Supply } from '../oauth/supply.ts';
import { adminToken } from '../open-app.ts';
import { signInFlow } from '../rows.ts';
import { type Acts, bearer, codeIn, cookiesAfter, sender } from './acts.ts';

const api = '/api/v3';
const flow = `${api}/flows/executor/${signInFlow}/?query=`;

export function ourActs(url: string, { users, signInNames }: Loaded, { rows, authorization }: LoadedOAuth): Acts {
  const send = sender(url);
  const headers = bearer(adminToken);
  const asked =
    ({ method, path, requests }: Supply) =>
    async (number: number) => {
      const { authorization, form } = requests[number % requests.length] as ReadyRequest;
      await send(path, {
        method,
        headers: { authorization },
        ...(form !== null && { body: new URLSearchParams(form) }),
      });
    };
  const [credentials] = rows.client_credentials.supply.requests;
  const [session] = authorization.requests;
  if (!credentials || !session?.cookie) throw new Error('there is no user to sign in');
  const authorizePath = authorization.path.replace(/&?response_mode=form_post/, '');
  const authorize = async (cookie: string) => codeIn(await send(authorizePath, { headers: { cookie }, expected: 302 }));
  const userOf = (number: number) => `${api}/core/users/${users[number % users.length]}/`;
  const create = (number: number) =>
    send(`${api}/core/users/`, {
      method: 'POST',
      headers,
      body: { username: `new-${number}`, name: `New ${number}`, email: `new-${number}@example.com` },
      expected: 201,
    });
  return {
    'client credentials: access token': asked(rows.client_credentials.supply),
    introspection: asked(rows.introspection.supply),
    userinfo: asked(rows.userinfo.supply),
    async 'authorization of a user with a session, and code exchange'() {
      const form = redeemForm('authorization_code', await authorize(session.cookie ?? ''));
      await send(rows.authorization_code.supply.path, {
        method: 'POST',
        headers: { authorization: credentials.authorization },
        body: new URLSearchParams(form),
      });
    },
    async 'reading a user'(number) {
      await send(userOf(number), { headers });
    },
    async 'a page of 20 users'(number) {
      await send(`${api}/core/users/?page_size=20&page=${1 + (number % 5)}`, { headers });
    },
    async 'search of users by three letters, 20 found'() {
      await send(`${api}/core/users/?search=${rareWord}&page_size=20`, { headers });
    },
    async 'changing a user'(number) {
      await send(userOf(number), { method: 'PATCH', headers, body: { name: `Changed ${number}` } });
    },
    async 'creating a user'(number) {
      await create(number);
    },
    async 'creating and deleting a user'(number) {
      const { pk } = JSON.parse((await create(number)).text);
      await send(`${api}/core/users/${pk}/`, { method: 'DELETE', headers, expected: 204 });
    },
    async 'sign-in by password, up to the code for an application'(number) {
      const from = { 'x-forwarded-for': clientAddress(number) };
      let cookie = cookiesAfter(await send(flow, { headers: from }));
      for (const body of [{ uid_field: signInNames[number % signInNames.length] }, { password: benchPassword }]) {
        cookie = cookiesAfter(await send(flow, { method: 'POST', headers: { ...from, cookie }, body }), cookie);
      }
      await authorize(cookie);
    },
  };
}
