import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, afterEach, expect, test } from 'vitest';
import { eventsDuring } from '../../support/events.ts';
import { describeOnSqlite, type TestServer } from '../../support/server.ts';
import { makeFlow, makeSource, unique } from './fixtures.ts';
import { sendJson, startMediaServer } from './media-server.ts';

const media = await startMediaServer();
afterEach(() => media.reset());
afterAll(() => media.close());
const env = { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.0/8', GATEHOUSE_MEDIASRC_API_URL: media.url };

type How = (request: IncomingMessage, response: ServerResponse) => void;

/** A user whom only the list of friends can let in, so that every path is asked. */
async function prepare(server: TestServer) {
  media.know('owner', { id: 1, username: 'owner', friends: [2] });
  media.know('friend', { id: 2, username: 'friend', email: 'friend@example.com' });
  const enrol = await makeFlow(server, 'enrollment');
  const source = await makeSource(server, 'mediasrc', {
    plex_token: 'owner',
    enrollment_flow: enrol.pk,
    allowed_servers: ['nobodys'],
  });
  return (token = 'friend') =>
    server.nobody.post(`/sources/mediasrc/redeem_token/?slug=${source.slug}`, { plex_token: token });
}

const raw =
  (status: number, body: string, headers: Record<string, string> = {}): How =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  };
const json =
  (body: unknown): How =>
  (_request, response) =>
    sendJson(response, body);
const drip: How = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const timer = setInterval(() => response.write(' '), 100);
  response.on('close', () => clearInterval(timer));
};

const misunderstood = 'The media server gave an answer that cannot be understood.';
const account = { id: 2, username: 'friend', title: 'Friend', email: 'friend@example.com' };

describeOnSqlite(
  'when the media server does not answer as it should',
  (server) => {
    test('sign-in works while the media server answers correctly', async () => {
      const redeem = await prepare(server());
      expect((await redeem()).status).toBe(200);
      expect(media.asked.map(({ path }) => path).sort()).toEqual(['/friends', '/resources', '/user', '/user']);
    });

    test('a token that the media server refuses is reported', async () => {
      const redeem = await prepare(server());
      const refused = { plex_token: ['The media server refuses the token.'] };
      const unknown = await redeem('unknown');
      expect([unknown.status, unknown.body]).toEqual([400, refused]);
      for (const status of [401, 403]) {
        media.answer('/resources', raw(status, '{}'));
        const answer = await redeem();
        expect([answer.status, answer.body]).toEqual([400, refused]);
      }
    });

    test('a refused token of the source is not taken for the caller’s', async () => {
      const redeem = await prepare(server());
      media.answer('/friends', raw(401, '{}'));
      const answer = await redeem();
      expect([answer.status, answer.body]).toEqual([
        400,
        { non_field_errors: ['The media server refuses the token of the source.'] },
      ]);
    });

    test.each(['/user', '/resources', '/friends'])('%s: a failure is told with its status', async (path) => {
      const redeem = await prepare(server());
      for (const status of [400, 404, 429, 500, 503]) {
        media.answer(path, raw(status, '<html>'));
        const answer = await redeem();
        const told = { non_field_errors: [`The media server answered with status ${status}.`] };
        expect([answer.status, answer.body]).toEqual([400, told]);
      }
    });

    test.each(['/user', '/resources', '/friends'])('%s: a redirect is not followed', async (path) => {
      const redeem = await prepare(server());
      for (const location of ['/elsewhere', 'http://169.254.169.254/', 'file:///etc/passwd']) {
        media.answer(path, raw(302, '', { location }));
        media.answer('/elsewhere', json(account));
        const answer = await redeem();
        const told = { non_field_errors: ['The media server redirects instead of answering.'] };
        expect([answer.status, answer.body]).toEqual([400, told]);
      }
      expect(media.asked.filter(({ path: asked }) => asked === '/elsewhere')).toEqual([]);
    });

    const malformed: [string, How][] = [
      ['/user', raw(200, '<html>sign in</html>')],
      ['/user', raw(200, '')],
      ['/user', raw(200, '{"id": 2')],
      ['/user', raw(204, '')],
      ['/user', json(null)],
      ['/user', json([account])],
      ['/user', json('account')],
      ['/user', json({ ...account, id: undefined })],
      ['/user', json({ ...account, id: null })],
      ['/user', json({ ...account, id: 'two' })],
      ['/user', json({ ...account, id: 2.5 })],
      ['/user', json({ ...account, id: -2 })],
      ['/user', json({ ...account, id: true })],
      ['/user', json({ ...account, id: [2] })],
      ['/user', raw(200, '{"id": 90071992547409931234, "username": "friend"}')],
      ['/user', json({ ...account, username: { $ne: null } })],
      ['/user', json({ ...account, email: ['a@example.com'] })],
      ['/user', json({ ...account, title: 7 })],
      ['/user', json({ ...account, title: 'x'.repeat(5000) })],
      ['/user', json({ ...account, title: 'nul \u0000 inside' })],
      ['/user', json({ ...account, other: { deep: ['\ud800'] } })],
      ['/user', raw(200, `{"id": 2, "deep": ${'['.repeat(200_000)}${']'.repeat(200_000)}}`)],
      ['/friends', raw(200, `${'['.repeat(200_000)}${']'.repeat(200_000)}`)],
      ['/resources', json({ servers: [] })],
      ['/resources', json([null])],
      ['/resources', json(['server'])],
      ['/resources', json([{ provides: 'server' }])],
      ['/resources', json([{ provides: 'server', clientIdentifier: 5 }])],
      ['/resources', json(Array.from({ length: 10_001 }, () => ({})))],
      ['/friends', json({ 0: { id: 2 } })],
      ['/friends', json([{ id: '2 or more' }])],
      ['/friends', json([[2]])],
    ];
    test('responses of the media server are parsed strictly', async () => {
      const redeem = await prepare(server());
      for (const [index, [path, how]] of malformed.entries()) {
        media.reset();
        media.answer(path, how);
        const answer = await redeem();
        expect([index, path, answer.status, answer.body]).toEqual([
          index,
          path,
          400,
          { non_field_errors: [misunderstood] },
        ]);
      }
    });

    test('harmless deviations of the media server are accepted', async () => {
      const redeem = await prepare(server());
      for (const how of [
        json({ id: 2 }),
        json({ ...account, id: '2' }),
        json({ ...account, username: null, unknown: {} }),
      ]) {
        media.answer('/user', how);
        expect((await redeem()).status).toBe(200);
      }
      media.reset();
      media.answer(
        '/resources',
        json([{ provides: null }, { provides: 'server,player', clientIdentifier: 'nobodys' }]),
      );
      media.answer('/friends', raw(500, ''));
      expect((await redeem()).status).toBe(200);
    });

    test('an endless or oversized answer is cut off', async () => {
      const redeem = await prepare(server());
      media.answer('/user', raw(200, `{"id": 2, "title": "${'x'.repeat(2_000_000)}"}`));
      const huge = await redeem();
      expect([huge.status, huge.body]).toEqual([
        400,
        { non_field_errors: ['The answer of the media server is too large.'] },
      ]);
    });

    test('slow, dripping and missing answers time out', async () => {
      const redeem = await prepare(server());
      const late = { non_field_errors: ['The media server took too long to answer.'] };
      const silent: How = () => {};
      for (const [path, how] of [
        ['/user', silent],
        ['/resources', drip],
      ] as const) {
        media.reset();
        media.answer(path, how);
        const answer = await redeem();
        expect([path, answer.status, answer.body]).toEqual([path, 400, late]);
      }
    });

    test('a broken connection is reported', async () => {
      const redeem = await prepare(server());
      media.answer('/user', (request) => request.socket.destroy());
      const answer = await redeem();
      expect([answer.status, answer.body]).toEqual([
        400,
        { non_field_errors: ['The media server cannot be reached.'] },
      ]);
    });

    test('failed redemptions are not recorded, stored or revealed', async () => {
      const redeem = await prepare(server());
      const events = await eventsDuring(server(), async () => {
        media.answer('/user', raw(500, 'a-secret-of-the-media-server'));
        const answer = await redeem(unique('token'));
        expect(answer.text).not.toMatch(/a-secret|127\.0\.0\.1|localhost/);
      });
      expect(events).toEqual([]);
    });
  },
  { env },
);
