import { expect, test } from 'vitest';
import { eventsDuring } from '../../support/events.ts';
import { giveApp, giveCodes, personWithPassword } from '../../support/second-factor.ts';
import { describeOnBoth } from '../../support/server.ts';
import { signIn } from '../../support/session.ts';

const kinds = ['totp', 'static'] as const;
const model = (kind: string) => `svc_stages_authenticator_${kind}`;

describeOnBoth('devices', (server) => {
  /** A user with one device of the kind. */
  const owner = async (kind: (typeof kinds)[number]) => {
    const user = await personWithPassword(server());
    await (kind === 'totp' ? giveApp : giveCodes)(server(), user.username);
    const [device] = (await user.api.get(`/authenticators/${kind}/`)).body.results;
    const { browser } = await signIn(server(), user.pk);
    return { ...user, api: browser, device, path: `/authenticators/${kind}/${device.pk}/` };
  };

  test.each(kinds)('the owner of a %s device renames and deletes it', async (kind) => {
    const { api, device, path } = await owner(kind);
    expect((await api.get(path)).body).toEqual(device);
    const events = await eventsDuring(server(), async () => {
      expect((await api.put(path, { name: 'My phone' })).body).toEqual({ ...device, name: 'My phone' });
      expect((await api.patch(path, { name: 'Old phone' })).body.name).toBe('Old phone');
      expect((await api.get(`${path}used_by/`)).body).toEqual([]);
      expect((await api.delete(path)).status).toBe(204);
    });
    expect(events.map(({ action }) => action)).toEqual(['model_updated', 'model_updated', 'model_deleted']);
    expect((await api.get(path)).status).toBe(404);
    expect((await api.get('/authenticators/all/')).body).toEqual([]);
  });

  test.each(kinds)(
    'a %s device is visible to and changed by its owner only; administrators see it in their list',
    async (kind) => {
      const { path, device } = await owner(kind);
      const stranger = await server().user([
        `${model(kind)}.view_${kind}device`,
        `${model(kind)}.change_${kind}device`,
        `${model(kind)}.delete_${kind}device`,
      ]);
      const { browser } = await signIn(server(), stranger.pk);
      expect((await browser.get(`/authenticators/${kind}/`)).body.results).toEqual([]);
      for (const answer of [
        await browser.get(path),
        await browser.put(path, { name: 'mine' }),
        await browser.patch(path, { name: 'mine' }),
        await browser.delete(path),
        await browser.get(`${path}used_by/`),
      ]) {
        expect(answer.status).toBe(404);
      }
      expect((await server().admin.get(path)).body).toEqual(device);
      expect((await server().admin.patch(path, { name: 'mine' })).status).toBe(403);
      expect((await server().admin.delete(path)).status).toBe(403);
      expect((await server().nobody.get(path)).status).toBe(403);
    },
  );

  test.each(kinds)('administrators change a %s device, but not its owner', async (kind) => {
    const { pk, device, api } = await owner(kind);
    const path = `/authenticators/admin/${kind}/${device.pk}/`;
    const { admin } = server();
    expect((await admin.get(path)).body).toEqual(device);
    expect((await admin.get(`/authenticators/admin/${kind}/?page_size=1000`)).body.results).toContainEqual(device);
    const mine = (await admin.get('/core/users/me/')).body.user.pk;
    expect((await admin.patch(path, { name: 'seized', user: mine, confirmed: false })).body.name).toBe('seized');
    expect((await admin.get(`/authenticators/admin/all/?user=${pk}`)).body).toMatchObject([
      { pk: device.pk, name: 'seized', confirmed: true },
    ]);
    expect((await admin.delete(path)).status).toBe(204);
    expect((await api.get('/authenticators/all/')).body).toEqual([]);
  });

  test.each(kinds)('the admin endpoint of %s devices is closed to all others', async (kind) => {
    const { device } = await owner(kind);
    const verbs = ['view', 'add', 'change', 'delete'];
    const deputy = await server().user(verbs.map((verb) => `${model(kind)}.${verb}_${kind}device`));
    const path = `/authenticators/admin/${kind}/`;
    for (const answer of [
      await deputy.api.get(path),
      await deputy.api.post(path, { name: 'mine' }),
      await deputy.api.get(`${path}${device.pk}/`),
      await deputy.api.put(`${path}${device.pk}/`, { name: 'mine' }),
      await deputy.api.patch(`${path}${device.pk}/`, { name: 'mine' }),
      await deputy.api.delete(`${path}${device.pk}/`),
      await deputy.api.get('/authenticators/admin/all/'),
    ]) {
      expect(answer.status).toBe(403);
    }
  });

  test.each(kinds)('a %s device made by the API is the caller’s, and is not asked for at sign-in', async (kind) => {
    const { admin } = server();
    const created = await admin.post(`/authenticators/admin/${kind}/`, { name: 'spare', confirmed: true });
    expect(created.status).toBe(201);
    const all = (await admin.get('/authenticators/all/')).body as { pk: number; confirmed: boolean }[];
    expect(all.find(({ pk }) => pk === created.body.pk)).toMatchObject({ confirmed: false, last_used: null });
  });

  test.each(kinds)('a %s device needs a name, not too long', async (kind) => {
    const { api, path } = await owner(kind);
    for (const name of ['', ' ', null, 'x'.repeat(65), ['a']]) {
      const answer = await api.patch(path, { name });
      expect([name, answer.status, Object.keys(answer.body)]).toEqual([name, 400, ['name']]);
    }
    expect((await api.put(path, {})).status).toBe(400);
  });

  test('the list of all kinds shows the kind of each device, newest first, without secrets', async () => {
    const user = await owner('static');
    const { body, text } = await user.api.get('/authenticators/all/');
    expect(body).toEqual([
      {
        pk: user.device.pk,
        name: 'Recovery codes',
        verbose_name: 'Static Device',
        verbose_name_plural: 'Static Devices',
        meta_model_name: 'svc_stages_authenticator_static.staticdevice',
        type: 'svc_stages_authenticator_static.staticdevice',
        confirmed: true,
        created: expect.stringMatching(/Z$/),
        last_updated: expect.stringMatching(/Z$/),
        last_used: null,
      },
    ]);
    expect(text).not.toContain('key');
    expect((await server().nobody.get('/authenticators/all/')).status).toBe(403);
  });

  test('the administrators’ list accepts only the key of a user', async () => {
    const { admin } = server();
    const { pk } = await owner('totp');
    await owner('totp');
    expect((await admin.get('/authenticators/admin/all/')).body.length).toBeGreaterThan(1);
    expect((await admin.get(`/authenticators/admin/all/?user=${pk}`)).body).toHaveLength(1);
    expect((await admin.get('/authenticators/admin/all/?user=2147483647')).body).toEqual([]);
    for (const user of ['me', '1.5', '99999999999', "1' or '1'='1"]) {
      const answer = await admin.get(`/authenticators/admin/all/?user=${encodeURIComponent(user)}`);
      expect([user, answer.status, Object.keys(answer.body)]).toEqual([user, 400, ['user']]);
    }
  });

  test('devices are deleted with their owner', async () => {
    const user = await owner('totp');
    await server().admin.delete(`/core/users/${user.pk}/`);
    expect((await server().admin.get(`/authenticators/admin/totp/${user.device.pk}/`)).status).toBe(404);
  });

  test('people see which devices they can set up', async () => {
    const user = await server().user();
    const settings = (await user.api.get('/stages/all/user_settings/')).body as Record<string, string>[];
    const find = (kind: string) => settings.find(({ configure_url = '' }) => configure_url.includes(`-${kind}-setup`));
    expect(find('totp')).toMatchObject({
      component: 'xak-user-settings-authenticator-totp',
      title: 'Authenticator app',
      configure_url: '/if/flow/default-authenticator-totp-setup/',
    });
    expect(find('static')).toMatchObject({
      component: 'xak-user-settings-authenticator-static',
      title: 'Recovery codes',
      configure_url: '/if/flow/default-authenticator-static-setup/',
    });
  });
});
