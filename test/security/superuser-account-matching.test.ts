import { afterAll, afterEach, expect, test } from 'vitest';
import { makeFlow, makeSource, unique } from '../api/sources/fixtures.ts';
import { sendJson, startMediaServer } from '../api/sources/media-server.ts';
import { describeOnBoth } from '../support/server.ts';

const media = await startMediaServer();
afterEach(() => media.reset());
afterAll(() => media.close());
const env = { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.0/8', GATEHOUSE_MEDIASRC_API_URL: media.url };

// Who is called "admin" elsewhere became the administrator here.
describeOnBoth(
  'no superuser is matched by name or address',
  (server) => {
    const redeem = async (mode: string, account: Record<string, unknown>) => {
      const flow = await makeFlow(server(), 'authentication');
      const source = await makeSource(server(), 'mediasrc', {
        plex_token: 't',
        authentication_flow: flow.pk,
        enrollment_flow: flow.pk,
        user_matching_mode: mode,
      });
      media.answer('/user', (_request, response) =>
        sendJson(response, { id: 1, title: 'x', confirmed: true, ...account }),
      );
      media.answer('/resources', (_request, response) => sendJson(response, []));
      return server().nobody.post(`/sources/mediasrc/redeem_token/?slug=${source.slug}`, { plex_token: 't' });
    };

    test('username_link refuses the name of a superuser and links another user', async () => {
      const answer = await redeem('username_link', { username: 'admin', email: 'x@example.com' });
      expect(answer.status).toBe(403);
      const { username } = await server().user();
      expect((await redeem('username_link', { username, email: 'y@example.com' })).status).toBe(200);
    });

    test('email_link refuses the address of a superuser', async () => {
      const email = `${unique('root')}@example.com`;
      const root = (await server().admin.get('/core/users/me/')).body.user.pk;
      await server().admin.patch(`/core/users/${root}/`, { email });
      expect((await redeem('email_link', { username: unique('x'), email })).status).toBe(403);
    });
  },
  { env },
);
