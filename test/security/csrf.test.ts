import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { csrfHeader } from '../../src/core/session/session-cookies.ts';
import { apiFor } from '../support/api.ts';
import { openBrowser, signInFlow } from '../support/flow-client.ts';
import { rawRequest } from '../support/raw-request.ts';
import { describeOnSqlite } from '../support/server.ts';
import { signIn } from '../support/session.ts';

// State changed by requests that another site made the browser send (such as GHSA-rwcp-qrwg-56cg).
describeOnSqlite('CSRF: a request that another site makes a browser send', (server) => {
  const administrator = async () => (await server().admin.get('/core/users/me/')).body.user.pk as number;

  test.each([
    ['POST', '/core/users/{id}/set_password/', { password: 'chosen by another site' }],
    ['POST', '/core/groups/', { name: 'made by another site' }],
    ['PATCH', '/core/users/{id}/', { name: 'changed by another site' }],
    ['PUT', '/admin/settings/', {}],
    ['DELETE', '/core/users/{id}/', undefined],
  ])('%s %s is refused', async (method, path, body) => {
    const { user } = server();
    const victim = await user();
    const before = await stored(victim.pk);
    const { otherSite, csrf } = await signIn(server(), await administrator());
    const target = path.replace('{id}', String(victim.pk));
    const wrong = [{}, { [csrfHeader]: '' }, { [csrfHeader]: 'guessed' }, { [csrfHeader]: csrf.slice(0, -1) }];
    for (const headers of wrong) {
      const answer = await otherSite.send(method, target, body, headers);
      expect([answer.status, answer.body.detail]).toEqual([403, 'CSRF Failed: CSRF token missing.']);
    }
    expect(await stored(victim.pk)).toEqual(before);
  });

  test('a request with the CSRF token of its session is accepted', async () => {
    const { browser } = await signIn(server(), await administrator());
    expect((await browser.post('/core/groups/', { name: 'made by us' })).status).toBe(201);
  });

  test('the CSRF token of another session is refused', async () => {
    const { url } = server();
    const mine = await signIn(server(), await administrator());
    const other = await signIn(server(), await administrator());
    const mixed = apiFor(url, { cookie: mine.cookie, [csrfHeader]: other.csrf });
    expect((await mixed.post('/core/groups/', { name: 'mixed' })).status).toBe(403);
  });

  test('a request with a bearer token needs no CSRF token', async () => {
    expect((await server().admin.post('/core/groups/', { name: 'by token' })).status).toBe(201);
  });

  async function stored(pk: number): Promise<unknown> {
    const { rows } = await sql`select name, password, is_active from users where pk = ${pk}`.execute(
      server().world.db.read,
    );
    return rows;
  }
});

// Neighbours on the same site get our cookies sent along, and a body without a type needs no preflight.
describeOnSqlite('CSRF: a page of another origin', (server) => {
  const flow = `/flows/executor/${signInFlow}/`;
  const own = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' };
  const others: readonly [string, Record<string, string>][] = [
    ['a neighbour', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' }],
    ['a stranger', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
    ['a form', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate' }],
    ['a page without TLS', { origin: 'http://neighbour.example' }],
    ['a page without an origin', { origin: 'null' }],
  ];
  const refused = [403, 'CSRF Failed: The request comes from a page of another origin.'];

  test.each(others)('%s signs no user in', async (_who, headers) => {
    const { url } = server();
    const browser = openBrowser(server(), own);
    await browser.show(signInFlow);
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const other = apiFor(url, { cookie, ...headers });
    const answer = await other.send('POST', flow, new TextEncoder().encode('{"uid_field":"admin"}'));
    expect([answer.status, answer.body.detail]).toEqual(refused);
    expect((await browser.answer(signInFlow, { uid_field: 'admin' })).body.component).toBe('xak-stage-password');
  });

  test.each(others.slice(0, 2))('%s signs no user out', async (_who, headers) => {
    const { pk } = await server().user();
    const { otherSite, browser } = await signIn(server(), pk);
    const answer = await otherSite.get('/flows/executor/default-invalidation-flow/', headers);
    expect([answer.status, answer.body.detail]).toEqual(refused);
    expect((await browser.get('/core/users/me/', own)).status).toBe(200);
  });

  test('may link to the API', async () => {
    const { pk } = await server().user();
    const { cookie } = await signIn(server(), pk);
    // Not by `fetch`, which writes such headers itself.
    const headers = { cookie, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    const statusOf = async (method: string) =>
      (await rawRequest(server().url, '/api/v3/core/users/me/', { method, headers })).status;
    expect([await statusOf('GET'), await statusOf('POST')]).toEqual([200, 403]);
  });

  test('may call the API with a token', async () => {
    const { api } = await server().user();
    const [, neighbour] = others[0] ?? [];
    expect((await api.get('/core/users/me/', neighbour)).status).toBe(200);
  });

  test('of ours may act without TLS', async () => {
    const browser = openBrowser(server(), { origin: new URL(server().url).origin });
    await browser.show(signInFlow);
    expect((await browser.answer(signInFlow, { uid_field: 'admin' })).body.component).toBe('xak-stage-password');
  });
});

describeOnSqlite('CSRF: a GET', (server) => {
  test('of any operation changes nothing but the audit log', async () => {
    const { app, admin, world } = server();
    await app.jobs.stop();
    const written: string[] = [];
    const stop = world.db.onStatement(({ sql: text }) => {
      if (/^\s*(insert|update|delete)/i.test(text) && !/^\s*insert into events/i.test(text)) written.push(text);
    });
    for (const { method, path } of app.operations) {
      if (method !== 'GET') continue;
      await admin.get(path.replace(/\{\w+\}/g, '1'));
    }
    stop();
    expect(written).toEqual([]);
  });

  test('is not a way to set a password', async () => {
    const { admin, user } = server();
    const person = await user();
    expect((await admin.get(`/core/users/${person.pk}/set_password/?password=x`)).status).toBe(405);
  });
});
