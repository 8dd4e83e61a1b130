import { afterAll, afterEach, expect, test } from 'vitest';
import { makeFlow, makeSource, unique } from '../api/sources/fixtures.ts';
import { sendJson, startMediaServer } from '../api/sources/media-server.ts';
import { findPlan } from '../support/find-plan.ts';
import { describeOnSqlite, type TestServer } from '../support/server.ts';

const media = await startMediaServer();
afterEach(() => media.reset());
afterAll(() => media.close());
const env = { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.0/8', GATEHOUSE_MEDIASRC_API_URL: media.url };

let lastId = 0;

/** Redeems the token of a user who calls this address theirs. */
async function redeem(server: TestServer, email: string, confirmed: unknown, values: Record<string, unknown> = {}) {
  const flow = await makeFlow(server, 'authentication');
  const flows = { authentication_flow: flow.pk, enrollment_flow: flow.pk };
  const source = await makeSource(server, 'mediasrc', { plex_token: 't', ...flows, ...values });
  lastId += 1;
  const account = { id: lastId, username: unique('someone'), title: 'Someone', email, confirmed };
  media.answer('/user', (_request, response) => sendJson(response, account));
  media.answer('/resources', (_request, response) => sendJson(response, []));
  const answer = await server.nobody.post(`/sources/mediasrc/redeem_token/?slug=${source.slug}`, { plex_token: 't' });
  const token = /gatehouse_flow_plan=([^;]+)/.exec(answer.headers.get('set-cookie') ?? '')?.[1];
  const { db, key, clock } = server.world;
  return { answer, plan: token ? await findPlan(db.read, key, token, flow.slug, clock.now()) : null };
}

describeOnSqlite(
  'an unconfirmed e-mail address',
  (server) => {
    test.each([[false], [null], ['true'], [1], [{}]])('links to no user (confirmed: %j)', async (confirmed) => {
      const victim = await server().user([], { email: `${unique('victim')}@example.com` });
      const { body } = await server().admin.get(`/core/users/${victim.pk}/`);
      const { answer, plan } = await redeem(server(), body.email, confirmed, { user_matching_mode: 'email_link' });
      expect([answer.status, plan]).toEqual([403, null]);
    });

    test('links to no user even when a mapping returns it', async () => {
      const victim = await server().user([], { email: `${unique('victim')}@example.com` });
      const { body } = await server().admin.get(`/core/users/${victim.pk}/`);
      const { body: mapping } = await server().admin.post('/propertymappings/source/mediasrc/', {
        name: unique('mapping'),
        expression: 'return { email: info.email }',
      });
      const { answer } = await redeem(server(), body.email, false, {
        user_matching_mode: 'email_link',
        user_property_mappings: [mapping.pk],
      });
      expect(answer.status).toBe(403);
    });

    test('is left out when a user enrols with it', async () => {
      const { plan } = await redeem(server(), 'whoever@example.com', false);
      expect(plan?.pending_user).toBeNull();
      expect(plan?.prompt_data.email).toBe('');
    });

    test.each([[true], [undefined]])(
      'is told apart from a confirmed one, which links (confirmed: %j)',
      async (confirmed) => {
        const user = await server().user([], { email: `${unique('user')}@example.com` });
        const { body } = await server().admin.get(`/core/users/${user.pk}/`);
        const { plan } = await redeem(server(), body.email, confirmed, { user_matching_mode: 'email_link' });
        expect(plan?.pending_user).toBe(user.pk);
      },
    );
  },
  { env },
);
