import { expect, test } from 'vitest';
import { openBrowser, signInByPassword } from '../support/flow-client.ts';
import { made, makeWalk } from '../support/make-walk.ts';
import { exchangeCode, makeCode, makeRelying, post, tokensFor } from '../support/oauth2.ts';
import { hasPostgres, startServer, type TestServer } from '../support/server.ts';
import { ofItself, statementsOf } from '../support/statements.ts';

/**
 * An upper limit of the statements that an operation sends to PostgreSQL once it has been done before, generous enough
 * to catch only N+1 queries and caches that do not work. Not counted: jobs, and what opens and ends transactions.
 */
const allowed = {
  'sign-in by password': 30,
  'code exchange': 12,
  'client credentials': 10,
  introspection: 5,
  userinfo: 5,
  'reading a user': 5,
  'changing a user': 12,
  'creating a user': 12,
  'deleting a user': 25,
};

/** What the sign-in page offers besides is cached, and takes no statements. */
async function offerOtherWays(server: TestServer): Promise<void> {
  const { pk: enrollment_flow } = await makeWalk(server, []);
  const source = await made(server, '/sources/mediasrc/', { name: 'Media', slug: 'media', plex_token: 't' });
  const { body } = await server.admin.get('/stages/identification/?name=default-authentication-identification');
  const values = { enrollment_flow, sources: [source.pk] };
  expect((await server.admin.patch(`/stages/identification/${body.results[0].pk}/`, values)).status).toBe(200);
}

test.skipIf(!hasPostgres)('operations send no more statements to PostgreSQL than their limit', async () => {
  const server = await startServer('postgres');
  const relying = await makeRelying(server);
  const ada = await server.user([], { username: 'ada' });
  const password = 'correct horse battery staple';
  await server.admin.post(`/core/users/${ada.pk}/set_password/`, { password });
  await offerOtherWays(server);
  const { access_token } = await tokensFor(server, relying, ada.pk);
  const codes: string[] = [];
  const leaving: number[] = [];
  for (let turn = 0; turn < 4; turn++) {
    codes.push(await makeCode(server, relying, ada.pk));
    leaving.push((await server.user()).pk);
  }
  const { basic: authorization } = relying;
  const bearer = { authorization: `Bearer ${access_token}` };
  const operations: Record<keyof typeof allowed, () => Promise<{ status: number }>> = {
    'sign-in by password': () => signInByPassword(openBrowser(server), 'ada', password),
    'code exchange': () => exchangeCode(server, relying, codes.pop() ?? ''),
    'client credentials': () => post(server, 'token', { grant_type: 'client_credentials' }, { authorization }),
    introspection: () => post(server, 'introspect', { token: access_token }, { authorization }),
    userinfo: () => server.nobody.send('GET', '/application/o/userinfo/', undefined, bearer),
    'reading a user': () => server.admin.get(`/core/users/${ada.pk}/`),
    'changing a user': () => server.admin.patch(`/core/users/${ada.pk}/`, { name: crypto.randomUUID() }),
    'creating a user': () => server.admin.post('/core/users/', { username: crypto.randomUUID(), name: 'Bo' }),
    'deleting a user': () => server.admin.delete(`/core/users/${leaving.pop()}/`),
  };
  const counted: Record<string, number> = {};
  for (const [name, run] of Object.entries(operations)) {
    expect((await run()).status).toBeLessThan(300);
    // Jobs may change configuration meanwhile, which is then read again.
    const counts: number[] = [];
    for (let turn = 0; turn < 3; turn++) {
      counts.push((await statementsOf(server, run, ofItself)).length);
    }
    counted[name] = Math.min(...counts);
  }
  for (const [name, most] of Object.entries(allowed)) expect.soft(counted[name], name).toBeLessThanOrEqual(most);
  await server.close();
});
