import { afterAll, afterEach, expect, test } from 'vitest';
import { makeFlow, makeSource, unique } from '../api/sources/fixtures.ts';
import { sendJson, startMediaServer } from '../api/sources/media-server.ts';
import { describeOnSqlite } from '../support/server.ts';

const media = await startMediaServer();
afterEach(() => media.reset());
afterAll(() => media.close());
const env = { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.0/8', GATEHOUSE_MEDIASRC_API_URL: media.url };

// A mapping took the address from another member; that the account's own was confirmed counted for it too.
describeOnSqlite(
  'verified email: a source verifies one address only',
  (server) => {
    const redeem = async (expression: string, account: Record<string, unknown>) => {
      const flow = await makeFlow(server(), 'authentication');
      const mapping = { name: unique('mapping'), expression };
      const { pk } = (await server().admin.post('/propertymappings/source/mediasrc/', mapping)).body;
      const source = await makeSource(server(), 'mediasrc', {
        plex_token: 't',
        authentication_flow: flow.pk,
        enrollment_flow: flow.pk,
        user_matching_mode: 'email_link',
        user_property_mappings: [pk],
      });
      const told = { id: 7, username: unique('someone'), title: 'x', confirmed: true, ...account };
      media.answer('/user', (_request, response) => sendJson(response, told));
      media.answer('/resources', (_request, response) => sendJson(response, []));
      return server().nobody.post(`/sources/mediasrc/redeem_token/?slug=${source.slug}`, { plex_token: 't' });
    };

    test('another address links to no user', async () => {
      const email = `${unique('victim')}@example.com`;
      await server().user([], { email });
      const answer = await redeem('return { email: info.contact }', { email: 'own@example.com', contact: email });
      expect(answer.status).toBe(403);
    });

    test('the confirmed address links, in upper or lower case', async () => {
      const email = `${unique('person')}@example.com`;
      await server().user([], { email });
      const answer = await redeem('return { email: info.email }', { email: email.toUpperCase() });
      expect(answer.status).toBe(200);
    });
  },
  { env },
);
