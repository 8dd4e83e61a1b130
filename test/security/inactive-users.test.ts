import { expect, test } from 'vitest';
import type { Api } from '../support/api.ts';
import { describeOnBoth } from '../support/server.ts';
import { signIn } from '../support/session.ts';

// Deactivated users and service accounts kept what they had (CVE-2025-53942, CVE-2025-64521, CVE-2026-1609).
describeOnBoth('an inactive user', (server) => {
  async function credentials(pk: number, name: string): Promise<Record<string, Api>> {
    const { admin, as } = server();
    await admin.post('/core/tokens/', { identifier: `of-${name}`, user: pk, expiring: false });
    const { body } = await admin.get(`/core/tokens/of-${name}/view_key/`);
    const session = await signIn(server(), pk);
    return { 'an API token': as(body.key), 'a session': session.browser };
  }

  test.each(['internal', 'external', 'service_account'])('of type %s is refused by every credential', async (type) => {
    const { admin, user } = server();
    const { body: group } = await admin.post('/core/groups/', { name: `superusers ${type}`, is_superuser: true });
    for (const values of [{ type }, { type, groups: [group.pk] }]) {
      const person = await user(['svc_core.view_user'], values);
      const ways = await credentials(person.pk, person.username);
      for (const [name, api] of Object.entries(ways)) {
        expect([name, (await api.get('/core/users/')).status]).toEqual([name, 200]);
      }
      await admin.patch(`/core/users/${person.pk}/`, { is_active: false });
      for (const [name, api] of Object.entries(ways)) {
        for (const path of ['/core/users/', '/core/users/me/', '/core/tokens/', '/core/authenticated_sessions/']) {
          expect([name, path, (await api.get(path)).status]).toEqual([name, path, 403]);
        }
        expect((await api.post('/core/tokens/', { identifier: 'after-the-end' })).status).toBe(403);
      }
    }
  });

  test('who was created inactive cannot sign in', async () => {
    const { user } = server();
    const person = await user([], { is_active: false });
    const ways = await credentials(person.pk, person.username);
    for (const api of Object.values(ways)) expect((await api.get('/core/users/me/')).status).toBe(403);
  });

  test('is refused when deactivated directly in the database', async () => {
    const { user, world } = server();
    const person = await user();
    const ways = await credentials(person.pk, person.username);
    await world.db.write((tx) =>
      tx.updateTable('users').set({ is_active: false }).where('pk', '=', person.pk).execute(),
    );
    for (const api of Object.values(ways)) expect((await api.get('/core/users/me/')).status).toBe(403);
  });
});
