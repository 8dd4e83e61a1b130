import { expect, test } from 'vitest';
import { restoreDefaults } from '../../../src/app/bootstrap/run.ts';
import { openBrowser, signInByPassword, signInFlow } from '../../support/flow-client.ts';
import { made, unique } from '../../support/make-walk.ts';
import { adminPassword, describeOnBoth } from '../../support/server.ts';

const refusal = /no active superuser/;

describeOnBoth('the last way in', (server) => {
  const one = async (path: string) => (await server().admin.get(path)).body.results[0];
  const admins = () => one('/core/groups/?name=Gatehouse+Admins');
  const admin = () => one('/core/users/?username=admin');

  test('the last superuser is not switched off, demoted or deleted, on any path', async () => {
    const [group, user] = [await admins(), await admin()];
    const { admin: api } = server();
    const above = await made(server(), '/core/groups/', { name: unique('above') });
    // A user who administers by a token alone, and one who cannot sign in, are no way in.
    await made(server(), '/core/users/', { username: unique('off'), name: '', is_active: false, groups: [group.pk] });
    const account = { username: unique('robot'), name: '', type: 'service_account', groups: [group.pk] };
    await made(server(), '/core/users/', account);
    const attempts = {
      'switched off': await api.patch(`/core/users/${user.pk}/`, { is_active: false }),
      'without its group': await api.patch(`/core/users/${user.pk}/`, { groups: [] }),
      'made an account of a service': await api.patch(`/core/users/${user.pk}/`, { type: 'service_account' }),
      'group without the flag': await api.patch(`/core/groups/${group.pk}/`, { is_superuser: false }),
      'group without members': await api.patch(`/core/groups/${group.pk}/`, { users: [] }),
      'removed from the group': await api.post(`/core/groups/${group.pk}/remove_user/`, { pk: user.pk }),
      'group deleted': await api.delete(`/core/groups/${group.pk}/`),
    };
    for (const [name, { status, text }] of Object.entries(attempts)) {
      expect([name, status], text).toEqual([name, 400]);
      expect(text, name).toMatch(refusal);
    }
    expect((await api.patch(`/core/groups/${group.pk}/`, { parent: above.pk })).status).toBe(200);
    expect((await admin()).groups).toEqual([group.pk]);
  });

  test('a superuser can be deleted once there is another', async () => {
    const group = await admins();
    const second = await made(server(), '/core/users/', { username: unique('second'), name: '', groups: [group.pk] });
    expect((await server().admin.patch(`/core/users/${second.pk}/`, { is_active: false })).status).toBe(200);
    expect((await server().admin.patch(`/core/users/${second.pk}/`, { is_active: true })).status).toBe(200);
    const user = await admin();
    expect((await server().admin.post(`/core/groups/${group.pk}/remove_user/`, { pk: user.pk })).status).toBe(204);
  });
});

describeOnBoth('shipped objects', (server) => {
  test('the flow that a brand signs people in by is not deleted', async () => {
    const { status, text } = await server().admin.delete(`/flows/instances/${signInFlow}/`);
    expect([status, text]).toEqual([400, expect.stringContaining('A Brand depends on it')]);
    const { body } = await server().admin.get(`/flows/instances/${signInFlow}/used_by/`);
    expect(body).toContainEqual(expect.objectContaining({ model_name: 'brand', action: 'protect' }));
    expect((await server().admin.get(`/flows/instances/${signInFlow}/`)).status).toBe(200);
  });

  test('the flow that a brand signs people in by is not disabled, and a disabled one not chosen', async () => {
    const { admin } = server();
    const disabled = await admin.patch(`/flows/instances/${signInFlow}/`, { enabled: false });
    const [brand] = (await admin.get('/core/brands/?default=true')).body.results;
    const why = `Brand ${brand.domain} depends on this flow (“flow_authentication”): choose another flow there first.`;
    expect([disabled.status, disabled.body]).toEqual([400, { enabled: [why] }]);
    expect((await admin.patch(`/flows/instances/${signInFlow}/`, { title: 'Welcome' })).status).toBe(200);
    const slug = unique('flow');
    const flow = { name: slug, slug, title: slug, designation: 'authentication', enabled: false };
    const { pk } = await made(server(), '/flows/instances/', flow);
    const chosen = await admin.patch(`/core/brands/${brand.brand_uuid}/`, { flow_authentication: pk });
    expect([chosen.status, chosen.body]).toEqual([
      400,
      { flow_authentication: ['This flow is disabled. Enable it first.'] },
    ]);
    const created = { domain: `${slug}.example`, flow_authentication: pk };
    expect((await admin.post('/core/brands/', created)).body).toEqual(chosen.body);
    await admin.patch(`/flows/instances/${slug}/`, { enabled: true });
    expect((await admin.post('/core/brands/', created)).status).toBe(201);
  });

  test('a flow that a brand may do without is no longer offered while it is disabled', async () => {
    const { admin, nobody } = server();
    const slug = unique('flow');
    const flow = { name: slug, slug, title: slug, designation: 'recovery' };
    const { pk } = await made(server(), '/flows/instances/', flow);
    const [brand] = (await admin.get('/core/brands/?default=true')).body.results;
    await admin.patch(`/core/brands/${brand.brand_uuid}/`, { flow_recovery: pk });
    const offered = async () => [
      (await nobody.get('/core/brands/current/')).body.flow_recovery,
      (await openBrowser(server()).show(signInFlow)).body.recovery_url,
    ];
    expect(await offered()).toEqual([slug, `/if/flow/${slug}/`]);
    expect((await admin.patch(`/flows/instances/${slug}/`, { enabled: false })).status).toBe(200);
    expect(await offered()).toEqual([undefined, undefined]);
    await admin.patch(`/core/brands/${brand.brand_uuid}/`, { flow_recovery: null });
  });

  test('restore-defaults brings back what was deleted and changes nothing else', async () => {
    const { admin, world, app } = server();
    expect(await restoreDefaults(world, app)).toBe(0);
    const brand = (await admin.get('/core/brands/?default=true')).body.results[0];
    await admin.patch(`/core/brands/${brand.brand_uuid}/`, { flow_authentication: null });
    expect((await admin.delete(`/flows/instances/${signInFlow}/`)).status).toBe(204);
    await admin.patch('/flows/instances/default-invalidation-flow/', { title: 'Bye' });
    const policy = (await admin.get('/policies/expression/?name=default-authentication-flow-password-stage')).body;
    await admin.delete(`/policies/expression/${policy.results[0].pk}/`);
    const signIn = () => signInByPassword(openBrowser(server()), 'admin', adminPassword);
    expect((await signIn()).status).toBe(404);

    expect(await restoreDefaults(world, app)).toBeGreaterThan(5);
    expect((await signIn()).body.component).toBe('xak-flow-redirect');
    expect((await admin.get('/flows/instances/default-invalidation-flow/')).body.title).toBe('Bye');
    const restored = (await admin.get('/core/brands/?default=true')).body.results[0];
    expect(restored.flow_authentication).toBe((await admin.get(`/flows/instances/${signInFlow}/`)).body.pk);
    expect(await restoreDefaults(world, app)).toBe(0);
  });
});
