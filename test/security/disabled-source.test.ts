import { afterAll, afterEach, expect, test } from 'vitest';
import { makeFlow, makeSource, unique } from '../api/sources/fixtures.ts';
import { startMediaServer } from '../api/sources/media-server.ts';
import { eventsDuring } from '../support/events.ts';
import { describeOnSqlite } from '../support/server.ts';
import { signIn } from '../support/session.ts';

const media = await startMediaServer();
afterEach(() => media.reset());
afterAll(() => media.close());
media.know('token', { id: 1, username: 'ada', email: 'ada@example.com' });
const env = { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.0/8', GATEHOUSE_MEDIASRC_API_URL: media.url };

describeOnSqlite(
  'a disabled source',
  (server) => {
    test('lets no user in, whether linked, new or signed in', async () => {
      const { admin, nobody } = server();
      const flow = await makeFlow(server(), 'authentication');
      const flows = { authentication_flow: flow.pk, enrollment_flow: flow.pk };
      const source = await makeSource(server(), 'mediasrc', { plex_token: 'token', ...flows });
      const body = { plex_token: 'token' };
      const redeem = `/sources/mediasrc/redeem_token/?slug=${source.slug}`;
      const link = `/sources/mediasrc/redeem_token_authenticated/?slug=${source.slug}`;
      expect((await nobody.post(redeem, body)).status).toBe(200);
      const linked = await server().user();
      const connection = { user: linked.pk, source: source.pk, identifier: '1', plex_token: unique('t') };
      await admin.post('/sources/user_connections/mediasrc/', connection);
      expect((await nobody.post(redeem, body)).status).toBe(200);

      await admin.patch(`/sources/mediasrc/${source.slug}/`, { enabled: false });
      media.reset();
      const other = await server().user();
      const { browser } = await signIn(server(), other.pk);
      const events = await eventsDuring(server(), async () => {
        for (const answer of [
          await nobody.post(redeem, body),
          await other.api.post(redeem, body),
          await browser.post(redeem, body),
          await browser.post(link, body),
        ]) {
          expect([answer.status, answer.body.detail]).toEqual([403, 'Access denied.']);
          expect(answer.headers.get('set-cookie')).toBeNull();
        }
      });
      expect(events).toEqual([]);
      expect(media.asked).toEqual([]);
      expect((await other.api.get('/sources/user_connections/all/')).body.results).toEqual([]);
      const offered = (await other.api.get('/sources/all/user_settings/')).body;
      expect(offered.map(({ object_uid }: { object_uid: string }) => object_uid)).not.toContain(source.slug);
    });
  },
  { env },
);
