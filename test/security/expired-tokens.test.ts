import { expect, test } from 'vitest';
import { hasConsent } from '../../src/core/consent/consent.ts';
import { addMilliseconds } from '../../src/platform/clock.ts';
import { makeApplication, makeConsent, makeGrant, makeProvider } from '../support/providers.ts';
import { describeOnBoth } from '../support/server.ts';

let now = '2030-01-01T00:00:00.000000Z';
const clock = { now: () => now };
const pass = (seconds: number) => {
  now = addMilliseconds(now, seconds * 1000);
};

// What had expired stayed good until a clean-up job came by. No job runs here.
describeOnBoth(
  'expired tokens and consents',
  (server) => {
    const grant = async (values: Record<string, unknown> = {}) => {
      const owner = await server().user();
      const made = await makeGrant(server(), 'access_tokens', {
        provider: (await makeProvider(server())).pk,
        user: owner.pk,
        scope: ['openid', 'gatehouse/api'],
        expires: addMilliseconds(now, 60_000),
        ...values,
      });
      const call = () => server().as(made.token).get('/core/user_consent/');
      return { owner, call, pk: made.pk };
    };

    test('an access token works for the API until it expires, and not a second longer', async () => {
      const { owner, call, pk } = await grant();
      expect((await call()).status).toBe(200);
      const shown = async () => (await owner.api.get(`/oauth2/access_tokens/${pk}/`)).body.is_expired;
      expect(await shown()).toBe(false);
      pass(59);
      expect((await call()).status).toBe(200);
      pass(2);
      const refused = await call();
      expect([refused.status, refused.body.detail]).toEqual([403, 'Token invalid/expired']);
      expect(await shown()).toBe(true);
    });

    test('an access token works only with the API scope, for an active owner, until revoked', async () => {
      const { owner, call, pk } = await grant();
      const sessions = await call();
      expect(sessions.status).toBe(200);
      expect((await (await grant({ scope: ['openid'] })).call()).status).toBe(403);
      expect((await (await grant({ scope: ['gatehouse/apis'] })).call()).status).toBe(403);
      await server().admin.patch(`/core/users/${owner.pk}/`, { is_active: false });
      expect((await call()).status).toBe(403);
      await server().admin.patch(`/core/users/${owner.pk}/`, { is_active: true });
      expect((await call()).status).toBe(200);
      await server().admin.delete(`/oauth2/access_tokens/${pk}/`);
      expect((await call()).status).toBe(403);
    });

    test('a refresh token or a code does not work for the API', async () => {
      const owner = await server().user();
      const provider = (await makeProvider(server())).pk;
      for (const kind of ['refresh_tokens', 'authorization_codes'] as const) {
        const { token } = await makeGrant(server(), kind, { provider, user: owner.pk, scope: ['gatehouse/api'] });
        expect((await server().as(token).get('/core/user_consent/')).status).toBe(403);
      }
    });

    test('a consent is valid until it expires', async () => {
      const owner = await server().user();
      const consent = { user: owner.pk, application: (await makeApplication(server())).pk, scopes: ['b', 'a'] };
      const stands = () => hasConsent(server().world.db.read, { ...consent, scopes: ['a', 'b'] }, now);
      expect(await stands()).toBe(false);
      await makeConsent(server(), consent, addMilliseconds(now, 60_000));
      expect(await stands()).toBe(true);
      expect(await hasConsent(server().world.db.read, { ...consent, scopes: ['a', 'b', 'c'] }, now)).toBe(false);
      pass(61);
      expect(await stands()).toBe(false);
      await makeConsent(server(), consent, null);
      pass(1_000_000_000);
      expect(await stands()).toBe(true);
    });
  },
  { clock },
);
