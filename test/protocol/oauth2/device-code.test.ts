import { decodeJwt } from 'jose';
import { expect, test } from 'vitest';
import { decideRequest, findRequestByUserCode } from '../../../src/kinds/providers/oauth2/requests.ts';
import { addMilliseconds } from '../../../src/platform/clock.ts';
import { type Fields, makeRelying, post, type Relying } from '../../support/oauth2.ts';
import { describeOnBoth, type TestServer } from '../../support/server.ts';
import { signIn } from '../../support/session.ts';

let now = '2030-01-01T00:00:00.000000Z';
const wait = (seconds: number) => {
  now = addMilliseconds(now, seconds * 1000);
};

const begin = async (server: TestServer, { basic }: Relying, fields: Fields = {}) =>
  (await post(server, 'device', { scope: 'openid offline_access', ...fields }, { authorization: basic })).body;

const poll = (server: TestServer, { basic }: Relying, device_code: string, fields: Fields = {}) =>
  post(
    server,
    'token',
    { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code, ...fields },
    { authorization: basic },
  );

/** What the page does when a person has typed in the code. */
async function decide(server: TestServer, userCode: string, state: 'granted' | 'denied', user: number) {
  const { world } = server;
  const request = await findRequestByUserCode(world.db.read, world.key, userCode.toLowerCase().replace('-', ' '));
  const { pk: session } = await signIn(server, user);
  const by = { user, session };
  return world.db.write((tx) => decideRequest(tx, request?.pk ?? '', state, by));
}

describeOnBoth(
  'the token endpoint: device codes (RFC 8628 §3.5)',
  (server) => {
    test('a device waits until it is approved, and gets tokens once', async () => {
      const relying = await makeRelying(server());
      const person = await server().user();
      const { device_code, user_code, interval } = await begin(server(), relying);
      expect((await poll(server(), relying, device_code)).body.error).toBe('authorization_pending');
      wait(interval - 1);
      expect((await poll(server(), relying, device_code)).body.error).toBe('slow_down');
      wait(interval);
      expect((await poll(server(), relying, device_code)).body.error).toBe('authorization_pending');
      expect(await decide(server(), user_code, 'granted', person.pk)).toBe(true);
      expect(await decide(server(), user_code, 'denied', person.pk)).toBe(false);
      wait(interval);
      const { status, body } = await poll(server(), relying, device_code);
      expect([status, body.scope]).toEqual([200, 'openid offline_access']);
      expect(body.refresh_token).toBeTypeOf('string');
      expect(decodeJwt(body.id_token).auth_time).toBeTypeOf('number');
      wait(interval);
      expect((await poll(server(), relying, device_code)).body.error).toBe('invalid_grant');
    });

    test('a device is told when it is refused, expired or another client’s', async () => {
      const relying = await makeRelying(server());
      const other = await makeRelying(server());
      const { pk } = await server().user();
      const denied = await begin(server(), relying);
      await decide(server(), denied.user_code, 'denied', pk);
      expect((await poll(server(), relying, denied.device_code)).body.error).toBe('access_denied');
      const granted = await begin(server(), relying);
      await decide(server(), granted.user_code, 'granted', pk);
      expect((await poll(server(), other, granted.device_code)).body.error).toBe('invalid_grant');
      expect((await poll(server(), relying, granted.user_code)).body.error).toBe('invalid_grant');
      expect((await poll(server(), relying, granted.device_code, { scope: 'openid email' })).body.error).toBe(
        'invalid_scope',
      );
      const late = await begin(server(), relying);
      wait(late.expires_in + 1);
      expect((await poll(server(), relying, late.device_code)).body.error).toBe('expired_token');
    });

    test('a person who may not use the application cannot approve a device', async () => {
      const relying = await makeRelying(server());
      const [allowed, denied] = [await server().user(), await server().user()];
      const binding = { target: relying.application.pk, user: allowed.pk, order: 0 };
      expect((await server().admin.post('/policies/bindings/', binding)).status).toBe(201);
      for (const [person, error] of [
        [denied, 'access_denied'],
        [allowed, undefined],
      ] as const) {
        const { device_code, user_code } = await begin(server(), relying);
        await decide(server(), user_code, 'granted', person.pk);
        expect((await poll(server(), relying, device_code)).body.error).toBe(error);
      }
    });
  },
  { clock: { now: () => now } },
);
