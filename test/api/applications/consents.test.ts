import { expect, test } from 'vitest';
import { addMilliseconds } from '../../../src/platform/clock.ts';
import { makeApplication, makeConsent, makeProvider } from '../../support/providers.ts';
import { describeOnBoth } from '../../support/server.ts';

const path = '/core/user_consent/';
const keysOf = (answer: { body: { results: { pk: number }[] } }) => answer.body.results.map(({ pk }) => pk);

describeOnBoth('user consents', (server) => {
  test('show their user and application in full', async () => {
    const { admin, world } = server();
    const provider = await makeProvider(server());
    const application = await makeApplication(server(), { provider: provider.pk });
    const owner = await server().user();
    const expires = addMilliseconds(world.clock.now(), 1000 * 3600);
    const consent = { user: owner.pk, application: application.pk, scopes: ['profile', 'openid', 'openid'] };
    const pk = await makeConsent(server(), consent, expires);
    const { status, body } = await admin.get(`${path}${pk}/`);
    expect(status).toBe(200);
    // What is known of the address stands in the user itself only.
    const { email_verified, email_verified_at, email_verified_by, ...user } = (
      await admin.get(`/core/users/${owner.pk}/`)
    ).body;
    expect([email_verified, email_verified_at, email_verified_by]).toEqual([false, null, null]);
    expect(body).toEqual({
      pk,
      expires,
      expiring: true,
      user,
      application: (await admin.get(`/core/applications/${application.slug}/`)).body,
      permissions: 'openid profile',
    });
    const lasting = await makeConsent(server(), { ...consent, scopes: [] });
    expect((await admin.get(`${path}${lasting}/`)).body).toMatchObject({
      expires: null,
      expiring: false,
      permissions: '',
    });
    // The same consent again renews it.
    expect(await makeConsent(server(), { ...consent, scopes: ['openid', 'profile'] })).toBe(pk);
    expect((await owner.api.get(`${path}${pk}/`)).body).toMatchObject({ expires: null, expiring: false });
  });

  test('fill in the launch URL for the caller', async () => {
    const application = await makeApplication(server(), { meta_launch_url: 'https://x.example/%(username)s' });
    const owner = await server().user();
    const pk = await makeConsent(server(), { user: owner.pk, application: application.pk, scopes: ['a'] });
    expect((await owner.api.get(`${path}${pk}/`)).body.application.launch_url).toBe(
      `https://x.example/${owner.username}`,
    );
    expect((await server().admin.get(`${path}${pk}/`)).body.application.launch_url).toBe('https://x.example/admin');
  });

  test('consents are visible to and revoked by their owner and superusers only', async () => {
    const application = await makeApplication(server());
    const [ada, bob] = [await server().user(), await server().user(['svc_stages_consent.view_userconsent'])];
    const of = (user: number) => makeConsent(server(), { user, application: application.pk, scopes: ['x'] });
    const [adas, bobs] = [await of(ada.pk), await of(bob.pk)];
    expect(keysOf(await ada.api.get(path))).toEqual([adas]);
    expect(keysOf(await bob.api.get(path))).toEqual([bobs]);
    expect((await bob.api.get(`${path}${adas}/`)).status).toBe(404);
    expect((await bob.api.delete(`${path}${adas}/`)).status).toBe(404);
    const { admin } = server();
    expect(keysOf(await admin.get(`${path}?application=${application.pk}`))).toEqual([adas, bobs]);
    expect(keysOf(await admin.get(`${path}?application=${application.pk}&user=${bob.pk}`))).toEqual([bobs]);
    expect(keysOf(await admin.get(`${path}?search=${bob.username}`))).toEqual([bobs]);
    const wrong = 'Select a valid choice. That choice is not one of the available choices.';
    expect((await admin.get(`${path}?user=999999`)).body).toEqual({ user: [wrong] });
    for (const target of [path, `${path}${adas}/`]) expect((await server().nobody.get(target)).status).toBe(403);
    for (const key of ['x', '99999999999', '0']) expect((await admin.get(`${path}${key}/`)).status).toBe(404);
    expect((await ada.api.get(`${path}${adas}/used_by/`)).body).toEqual([]);
    expect((await ada.api.delete(`${path}${adas}/`)).status).toBe(204);
    expect((await admin.delete(`${path}${bobs}/`)).status).toBe(204);
    expect(keysOf(await admin.get(`${path}?application=${application.pk}`))).toEqual([]);
  });
});
