import * as client from 'openid-client';
import { expect, test } from 'vitest';
import { callback, makeRelyingParty, signInTo, visitor } from '../support/relying-party.ts';
import { describeOnBoth } from '../support/server.ts';

/** The scope of the API is given to no user who was not asked. */
const flow = 'default-provider-authorization-explicit-consent';

// Who was signed out went on by what they had been given (CVE-2025-29928).
describeOnBoth('grants of a session that has ended', (server) => {
  const ends: Record<string, (session: string, user: number) => Promise<unknown>> = {
    deleted: (session) => server().admin.delete(`/core/authenticated_sessions/${session}/`),
    'its user switched off': (_, user) => server().admin.patch(`/core/users/${user}/`, { is_active: false }),
    'its user with a new password': (_, user) =>
      server().admin.post(`/core/users/${user}/set_password/`, { password: 'another one of theirs' }),
  };

  for (const way of ['deleted', 'its user switched off', 'its user with a new password']) {
    test(`are void: ${way}`, async () => {
      const party = await makeRelyingParty(server(), {}, flow);
      const browser = await visitor(server());
      const { tokens, config } = await signInTo(server(), party, browser, { scope: 'openid gatehouse/api' });
      const asActor = server().as(tokens.access_token);
      expect((await asActor.get('/core/users/me/')).status).toBe(200);
      const verifier = client.randomPKCECodeVerifier();
      await browser.authorize({
        client_id: party.clientId,
        response_type: 'code',
        redirect_uri: callback,
        scope: 'openid',
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
      const { location } = await browser.visit(await browser.agree(flow));
      await ends[way]?.(browser.session, browser.person.pk);
      expect((await asActor.get('/core/users/me/')).status).toBe(403);
      expect((await client.tokenIntrospection(config, tokens.access_token)).active).toBe(false);
      await expect(
        client.authorizationCodeGrant(config, location as URL, { pkceCodeVerifier: verifier }),
      ).rejects.toMatchObject({ error: 'invalid_grant' });
      const again = await browser.authorize({
        client_id: party.clientId,
        response_type: 'code',
        redirect_uri: callback,
      });
      expect(again.location?.pathname).toBe('/if/flow/default-authentication-flow/');
    });
  }
});
