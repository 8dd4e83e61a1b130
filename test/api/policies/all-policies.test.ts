import { expect, test } from 'vitest';
import { describeOnBoth } from '../../support/server.ts';

describeOnBoth('policies of every kind', (server) => {
  test('policies of all kinds are listed with common members and their kind', async () => {
    const { admin } = server();
    const made = await admin.post('/policies/password_expiry/', { name: 'ninety days', days: 90 });
    const one = await admin.get(`/policies/all/${made.body.pk}/`);
    expect(one.body).toEqual({
      pk: made.body.pk,
      name: 'ninety days',
      execution_logging: false,
      component: 'xak-policy-password-expiry-form',
      verbose_name: 'Password Expiry Policy',
      verbose_name_plural: 'Password Expiry Policies',
      meta_model_name: 'svc_policies_expiry.passwordexpirypolicy',
      bound_to: 0,
    });
    const all = await admin.get('/policies/all/?search=ninety');
    expect(all.body.results).toEqual([one.body]);
  });

  test('types/ names the kinds that can be made', async () => {
    const { user } = server();
    const { api } = await user();
    const { status, body } = await api.get('/policies/all/types/');
    expect(status).toBe(200);
    expect(body).toContainEqual({
      name: 'Password Expiry Policy',
      description: expect.stringContaining('older than a number of days'),
      component: 'xak-policy-password-expiry-form',
      model_name: 'passwordexpirypolicy',
      icon_url: '',
      requires_enterprise: false,
    });
  });

  test('the list of all policies shows viewable kinds; deleting takes the permission for the kind', async () => {
    const { admin, user } = server();
    const { body: policy } = await admin.post('/policies/password_expiry/', { name: 'seen by few', days: 1 });
    const path = `/policies/all/${policy.pk}/`;
    const stranger = await user();
    expect((await stranger.api.get('/policies/all/')).status).toBe(403);
    const viewer = await user(['svc_policies_expiry.view_passwordexpirypolicy']);
    expect((await viewer.api.get(path)).status).toBe(200);
    expect((await viewer.api.delete(path)).status).toBe(403);
    const deleter = await user([
      'svc_policies_expiry.view_passwordexpirypolicy',
      'svc_policies_expiry.delete_passwordexpirypolicy',
    ]);
    const signIn = (await admin.get('/flows/instances/default-authentication-flow/')).body.pk;
    const binding = (await admin.post('/policies/bindings/', { target: signIn, policy: policy.pk, order: 900 })).body
      .pk;
    expect((await deleter.api.delete(path)).status).toBe(403);
    await admin.delete(`/policies/bindings/${binding}/`);
    expect((await deleter.api.delete(path)).status).toBe(204);
    expect((await admin.get(`/policies/password_expiry/${policy.pk}/`)).status).toBe(404);
  });
});
