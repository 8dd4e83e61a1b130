import { expect, test } from 'vitest';
import { cookieNames, endedSessionCookies, sessionCookies } from '../../../src/core/session/session-cookies.ts';
import { addMilliseconds, toTimestamp } from '../../../src/platform/clock.ts';
import { apiFor } from '../../support/api.ts';
import { eventsDuring } from '../../support/events.ts';

import { describeOnBoth, describeOnSqlite } from '../../support/server.ts';
import { signIn } from '../../support/session.ts';

const clock = { at: Date.parse('2031-05-06T07:08:09Z'), now: () => toTimestamp(clock.at) };
const path = '/core/authenticated_sessions/';
const iphone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';

describeOnBoth(
  'sessions',
  (server) => {
    const keys = (body: { results: { uuid: string }[] }) => body.results.map(({ uuid }) => uuid);

    test('a session shows its browser, its place and when it was used', async () => {
      const { user, admin } = server();
      const person = await user();
      const session = await signIn(server(), person.pk, { clientIp: '8.8.8.8', userAgent: iphone });
      const { status, body } = await admin.get(`${path}${session.pk}/`);
      expect(status).toBe(200);
      expect(body).toEqual({
        uuid: session.pk,
        current: false,
        user_agent: {
          device: { brand: 'Apple', family: 'iPhone', model: 'iPhone' },
          os: { family: 'iOS', major: '17', minor: '5', patch: '1', patch_minor: '' },
          user_agent: { family: 'Mobile Safari', major: '17', minor: '5', patch: '' },
          string: iphone,
        },
        geo_ip: {
          continent: expect.any(String),
          country: 'US',
          lat: expect.any(Number),
          long: expect.any(Number),
          city: '',
        },
        asn: null,
        user: person.pk,
        last_ip: '8.8.8.8',
        last_user_agent: iphone,
        last_used: clock.now(),
        expires: addMilliseconds(clock.now(), 3_600_000),
      });
    });

    test('a private address has no place and an unknown browser no parts', async () => {
      const { user, admin } = server();
      const person = await user();
      const session = await signIn(server(), person.pk, { clientIp: '192.168.1.1', userAgent: '' });
      const { body } = await admin.get(`${path}${session.pk}/`);
      expect(body).toMatchObject({
        geo_ip: null,
        asn: null,
        user_agent: {
          device: { brand: '', family: 'Other', model: '' },
          os: { family: 'Other', major: '', minor: '', patch: '', patch_minor: '' },
          user_agent: { family: 'Other', major: '', minor: '', patch: '' },
          string: '',
        },
      });
    });

    test('an ended session is not found, even while its row exists', async () => {
      const { user, admin } = server();
      const person = await user();
      const ended = await signIn(server(), person.pk, { lifetimeMs: 60_000 });
      const lasting = await signIn(server(), person.pk);
      clock.at += 59_999;
      expect(keys((await person.api.get(`${path}?ordering=expires`)).body)).toEqual([ended.pk, lasting.pk]);
      clock.at += 1;
      for (const api of [person.api, admin]) {
        const { body } = await api.get(`${path}?user__username=${person.username}`);
        expect([keys(body), body.pagination.count]).toEqual([[lasting.pk], 1]);
        for (const [method, below] of [
          ['GET', ''],
          ['GET', 'used_by/'],
          ['DELETE', ''],
        ] as const) {
          expect((await api.send(method, `${path}${ended.pk}/${below}`)).status).toBe(404);
        }
      }
      expect((await ended.browser.get('/core/users/me/')).status).toBe(403);
      expect((await lasting.browser.get('/core/users/me/')).status).toBe(200);
    });

    test('people see their own sessions and superusers all, whatever permissions they hold', async () => {
      const { user, admin, nobody } = server();
      const one = await user();
      const other = await user(['svc_core.view_authenticatedsession', 'svc_core.delete_authenticatedsession']);
      const mine = await signIn(server(), one.pk);
      const theirs = await signIn(server(), other.pk);
      expect(keys((await one.api.get(path)).body)).toEqual([mine.pk]);
      expect(keys((await other.api.get(path)).body)).toEqual([theirs.pk]);
      expect(keys((await admin.get(path)).body)).toEqual(expect.arrayContaining([mine.pk, theirs.pk]));
      for (const [method, below] of [
        ['GET', ''],
        ['DELETE', ''],
        ['GET', 'used_by/'],
      ] as const) {
        expect((await other.api.send(method, `${path}${mine.pk}/${below}`)).status).toBe(404);
      }
      expect((await mine.browser.get('/core/users/me/')).status).toBe(200);
      const nothing = await user();
      const empty = await nothing.api.get(path);
      expect([empty.status, empty.body]).toEqual([
        200,
        {
          pagination: { next: 0, previous: 0, count: 0, current: 1, total_pages: 1, start_index: 0, end_index: 0 },
          results: [],
        },
      ]);
      expect((await nobody.get(path)).status).toBe(403);
    });

    test('current marks the session of the caller', async () => {
      const { user } = server();
      const person = await user();
      const first = await signIn(server(), person.pk);
      const second = await signIn(server(), person.pk);
      const currents = async (api: typeof first.browser) =>
        Object.fromEntries(
          (await api.get(path)).body.results.map((row: { uuid: string; current: boolean }) => [row.uuid, row.current]),
        );
      expect(await currents(first.browser)).toEqual({ [first.pk]: true, [second.pk]: false });
      expect(await currents(second.browser)).toEqual({ [first.pk]: false, [second.pk]: true });
      expect(await currents(person.api)).toEqual({ [first.pk]: false, [second.pk]: false });
    });

    test('sessions are filtered by user, address and browser, and ordered by user name', async () => {
      const { user, admin } = server();
      const a = await user([], { username: 'session-a' });
      const b = await user([], { username: 'session-b' });
      const ofB = await signIn(server(), b.pk, { clientIp: '198.51.100.1', userAgent: 'curl/8.0' });
      const ofA = await signIn(server(), a.pk, { clientIp: '198.51.100.2', userAgent: 'curl/8.1' });
      const find = async (query: string) => keys((await admin.get(`${path}?${query}`)).body);
      expect(await find('user__username=session-a')).toEqual([ofA.pk]);
      expect(await find('last_ip=198.51.100.1')).toEqual([ofB.pk]);
      expect(await find('last_user_agent=curl%2F8.1')).toEqual([ofA.pk]);
      expect(await find('last_user_agent=curl')).toEqual([]);
      expect(await find('search=198.51.100')).toEqual([ofA.pk, ofB.pk]);
      expect(await find('search=session-b')).toEqual([ofB.pk]);
      expect(await find('search=CURL&ordering=-last_ip')).toEqual([ofA.pk, ofB.pk]);
      expect(await find('user__username=nobody')).toEqual([]);
    });

    test('deleting a session ends it at once and leaves one event', async () => {
      const { user } = server();
      const person = await user();
      const session = await signIn(server(), person.pk);
      const events = await eventsDuring(server(), async () => {
        expect((await person.api.delete(`${path}${session.pk}/`)).status).toBe(204);
      });
      expect(events).toMatchObject([
        { action: 'model_deleted', context: { model: { app: 'svc_core', model_name: 'authenticatedsession' } } },
      ]);
      expect((await session.browser.get('/core/users/me/')).status).toBe(403);
      expect((await person.api.get(`${path}${session.pk}/`)).status).toBe(404);
    });

    test('a session cannot be written', async () => {
      const { user, admin } = server();
      const person = await user();
      const session = await signIn(server(), person.pk);
      expect((await admin.post(path, {})).status).toBe(405);
      expect((await admin.patch(`${path}${session.pk}/`, { user: 1 })).status).toBe(405);
    });

    test.each(['x', crypto.randomUUID()])('the session %s is not found', async (key) => {
      expect((await server().admin.get(`${path}${key}/`)).status).toBe(404);
    });

    test('an expired session is refused before any clean-up', async () => {
      const { user } = server();
      const person = await user();
      const { browser } = await signIn(server(), person.pk, { lifetimeMs: 1_000 });
      expect((await browser.get('/core/users/me/')).status).toBe(200);
      clock.at += 1_000;
      expect((await browser.get('/core/users/me/')).status).toBe(403);
      clock.at -= 1_000;
    });

    test('last use is stored at most once a minute, with address and browser', async () => {
      const { user, world } = server();
      const person = await user();
      const session = await signIn(server(), person.pk);
      const used = async () => (await person.api.get(`${path}${session.pk}/`)).body;
      const began = clock.now();
      clock.at += 59_000;
      const writes: string[] = [];
      const stop = world.db.onStatement(({ sql: text }) => {
        if (text.startsWith('update authenticated_sessions')) writes.push(text);
      });
      await session.browser.get('/core/users/me/', { 'user-agent': 'another browser' });
      expect(await used()).toMatchObject({ last_used: began, last_ip: '203.0.113.7' });
      clock.at += 1_000;
      await session.browser.get('/core/users/me/', { 'user-agent': 'another browser' });
      await session.browser.get('/core/users/me/', { 'user-agent': 'another browser' });
      stop();
      expect(await used()).toMatchObject({
        last_used: clock.now(),
        last_ip: '127.0.0.1',
        last_user_agent: 'another browser',
      });
      expect(writes).toHaveLength(1);
    });

    test('a changed cookie is refused', async () => {
      const { user, url } = server();
      const person = await user();
      const { cookie } = await signIn(server(), person.pk);
      const at = cookie.length - 5;
      const changed = `${cookie.slice(0, at)}${cookie[at] === 'a' ? 'b' : 'a'}${cookie.slice(at + 1)}`;
      expect((await apiFor(url, { cookie }).get('/core/users/me/')).status).toBe(200);
      expect((await apiFor(url, { cookie: changed }).get('/core/users/me/')).status).toBe(403);
      expect((await apiFor(url, { cookie: `${cookie.split('=')[0]}=` }).get('/core/users/me/')).status).toBe(403);
    });

    test('a bearer token takes precedence over a cookie, even when it is wrong', async () => {
      const { user, url } = server();
      const person = await user();
      const other = await user();
      const { cookie } = await signIn(server(), person.pk);
      const both = apiFor(url, { cookie, authorization: `Bearer ${other.token}` });
      expect((await both.get('/core/users/me/')).body.user.pk).toBe(other.pk);
      const wrong = apiFor(url, { cookie, authorization: 'Bearer wrong' });
      expect((await wrong.get('/core/users/me/')).status).toBe(403);
    });
  },
  { clock },
);

test('the cookies of a session', () => {
  const session = { token: 't', csrfToken: 'c' };
  expect(sessionCookies(session, false)).toEqual([
    'gatehouse_session=t; Path=/; HttpOnly; SameSite=Lax',
    'gatehouse_csrf=c; Path=/; SameSite=Lax',
  ]);
  expect(sessionCookies(session, true, 60)).toEqual([
    '__Host-gatehouse_session=t; Max-Age=60; Path=/; HttpOnly; Secure; SameSite=Lax',
    '__Host-gatehouse_csrf=c; Max-Age=60; Path=/; Secure; SameSite=Lax',
  ]);
  expect(endedSessionCookies(true)).toEqual([
    '__Host-gatehouse_session=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax',
    '__Host-gatehouse_csrf=; Max-Age=0; Path=/; Secure; SameSite=Lax',
  ]);
});

describeOnSqlite(
  'behind TLS',
  (server) => {
    test('over TLS only the __Host- cookie counts', async () => {
      const { user, url } = server();
      const person = await user();
      const session = await signIn(server(), person.pk);
      const value = session.cookie.split('=')[1];
      const ask = (name: string) => apiFor(url, { cookie: `${name}=${value}` }).get('/core/users/me/');
      expect((await ask(cookieNames(true).session)).status).toBe(200);
      expect((await ask(cookieNames(false).session)).status).toBe(403);
    });
  },
  { env: { GATEHOUSE_PUBLIC_URL: 'https://login.example.com' } },
);
