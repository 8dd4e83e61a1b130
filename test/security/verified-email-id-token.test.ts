import { afterAll, afterEach, expect, test } from 'vitest';
import { startOpenId } from '../protocol/oauth-source/openid-service.ts';
import { openIdWalk } from '../protocol/oauth-source/openid-walk.ts';
import { unique } from '../support/make-walk.ts';
import { describeOnSqlite } from '../support/server.ts';

const peer = await startOpenId();
afterEach(() => peer.reset());
afterAll(() => peer.close());

describeOnSqlite(
  'verified email: a profile address that the ID token does not contain',
  (server) => {
    const { source, arrive, connectionsOf } = openIdWalk(server, peer);

    test('is not confirmed by what the ID token says of its own', async () => {
      const { slug } = await source({ user_matching_mode: 'email_link' });
      const email = `${unique('victim')}@example.com`;
      await server().user([], { email });
      const { sub, preferred_username } = { sub: unique('sub'), preferred_username: unique('name') };
      peer.person = { sub, preferred_username };
      peer.claims = { email: 'attacker@example.com', email_verified: true };
      peer.userinfo = { email };
      const page = await arrive(slug);
      expect(page.status).toBe(403);
      expect(await connectionsOf(slug)).toEqual([]);
      peer.userinfo = { email, email_verified: true };
      expect((await arrive(slug)).status).toBe(302);
    });

    test('is not confirmed by what Azure AD says of the one in the ID token', async () => {
      const email = `${unique('victim')}@example.com`;
      await server().user([], { email });
      const there = { provider_type: 'azuread', profile_url: `${peer.url}/userinfo`, user_matching_mode: 'email_link' };
      const { slug } = await source({
        ...there,
        authorization_url: `${peer.url}/authorize`,
        access_token_url: `${peer.url}/token`,
      });
      peer.person = { sub: unique('sub') };
      peer.userinfo = { id: unique('oid'), mail: email, userPrincipalName: unique('name') };
      peer.claims = { xms_edov: true, email: 'attacker@example.com' };
      expect((await arrive(slug)).status).toBe(403);
      peer.claims = { xms_edov: true, email };
      expect((await arrive(slug)).status).toBe(302);
    });
  },
  { env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.0/8' } },
);
