import { afterAll, expect, test } from 'vitest';
import { startSession } from '../../src/core/session/session.ts';
import { makeFlow, makeSource, unique } from '../api/sources/fixtures.ts';
import { startMediaServer } from '../api/sources/media-server.ts';
import { describeOnSqlite } from '../support/server.ts';

const media = await startMediaServer();
afterAll(() => media.close());
media.know('token', { id: 1, username: 'ada', email: 'ada@example.com' });
const env = { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.0/8', GATEHOUSE_MEDIASRC_API_URL: media.url };
const body = { plex_token: 'token' };

describeOnSqlite(
  'session fixation: the cookie of a flow’s plan over TLS',
  (server) => {
    test('cannot be set by subdomains or over plain HTTP, nor read by scripts', async () => {
      const flow = await makeFlow(server(), 'enrollment');
      const source = await makeSource(server(), 'mediasrc', { plex_token: 'token', enrollment_flow: flow.pk });
      const redeem = () => server().nobody.post(`/sources/mediasrc/redeem_token/?slug=${source.slug}`, body);
      const [first, second] = [await redeem(), await redeem()].map(({ headers }) => headers.get('set-cookie') ?? '');
      expect(first).toMatch(
        /^__Host-gatehouse_flow_plan=[A-Za-z0-9]{43}; Max-Age=1800; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      );
      expect(second).not.toBe(first);
    });
  },
  { env: { ...env, GATEHOUSE_PUBLIC_URL: 'https://id.example.com' } },
);

describeOnSqlite(
  'session fixation: linking an account with a session cookie',
  (server) => {
    test('needs a CSRF token', async () => {
      const { world, nobody } = server();
      const user = await server().user();
      const source = await makeSource(server(), 'mediasrc', { plex_token: unique('t') });
      const { db, key, clock } = world;
      const facts = {
        userId: user.pk,
        clientIp: '127.0.0.1',
        userAgent: '',
        now: clock.now(),
        lifetimeMs: 60_000,
        isProven: true,
      };
      const session = await db.write((tx) => startSession(tx, key, facts));
      const cookie = { cookie: `gatehouse_session=${session.token}` };
      for (const name of ['redeem_token', 'redeem_token_authenticated']) {
        const path = `/sources/mediasrc/${name}/?slug=${source.slug}`;
        const forged = await nobody.post(path, body, cookie);
        expect([forged.status, forged.body.code]).toEqual([403, 'csrf_failed']);
      }
      expect((await user.api.get('/sources/user_connections/all/')).body.results).toEqual([]);
      const path = `/sources/mediasrc/redeem_token/?slug=${source.slug}`;
      const own = await nobody.post(path, body, { ...cookie, 'x-gatehouse-csrf': session.csrfToken });
      expect(own.status).toBe(200);
      expect((await user.api.get('/sources/user_connections/all/')).body.results).toHaveLength(1);
    });
  },
  { env },
);
