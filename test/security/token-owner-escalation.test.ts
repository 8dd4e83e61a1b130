import { expect, test } from 'vitest';
import { describeOnBoth } from '../support/server.ts';

// A token whose owner can be changed makes its holder whoever they name (CVE-2024-37905).
describeOnBoth('the owner of a token', (server) => {
  test('is not changed by PATCH or PUT, whoever the caller is', async () => {
    const { admin, user, as } = server();
    const attacker = await user(['svc_core.add_token', 'svc_core.change_token', 'svc_core.view_token']);
    const { body: root } = await admin.get('/core/users/me/');
    await attacker.api.post('/core/tokens/', { identifier: 'climber' });
    const { body: shown } = await attacker.api.get('/core/tokens/climber/view_key/');
    const named = [{ user: root.user.pk }, { user: String(root.user.pk) }, { user: root.user.pk, intent: 'api' }];
    for (const body of named) {
      for (const api of [attacker.api, admin]) {
        const patched = await api.patch('/core/tokens/climber/', body);
        expect([patched.status, patched.body]).toEqual([400, { user: ['User cannot be changed'] }]);
        expect((await api.put('/core/tokens/climber/', { identifier: 'climber', ...body })).status).toBe(400);
      }
    }
    await attacker.api.patch('/core/tokens/climber/', { user_obj: { pk: root.user.pk }, user_id: root.user.pk });
    expect((await as(shown.key).get('/core/users/me/')).body.user.pk).toBe(attacker.pk);
  });

  test('can be chosen on creation by superusers only', async () => {
    const { admin, user, as } = server();
    const attacker = await user(['svc_core.add_token']);
    const { body: root } = await admin.get('/core/users/me/');
    await attacker.api.post('/core/tokens/', { identifier: 'born-high', user: root.user.pk });
    const { body: shown } = await attacker.api.get('/core/tokens/born-high/view_key/');
    expect((await as(shown.key).get('/core/users/me/')).body.user).toMatchObject({
      pk: attacker.pk,
      is_superuser: false,
    });
  });

  test('must be the caller to change or delete it, whatever permissions others hold', async () => {
    const { admin, user } = server();
    const owner = await user();
    const attacker = await user(['svc_core.change_token', 'svc_core.delete_token', 'svc_core.view_token']);
    await owner.api.post('/core/tokens/', { identifier: 'coveted' });
    expect((await attacker.api.post('/core/tokens/coveted/set_key/', { key: 'known to me' })).status).toBe(403);
    expect((await attacker.api.patch('/core/tokens/coveted/', { identifier: 'mine' })).status).toBe(404);
    expect((await attacker.api.delete('/core/tokens/coveted/')).status).toBe(404);
    expect((await admin.get('/core/tokens/coveted/')).status).toBe(200);
  });
});
