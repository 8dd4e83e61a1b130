import { expect, test } from 'vitest';
import { describeOnBoth } from '../support/server.ts';
import { signIn } from '../support/session.ts';

// Deleting a session removed the row and left the cookie working (CVE-2025-29928).
describeOnBoth('class 16: a session that has ended', (server) => {
  const isDead = async (session: Awaited<ReturnType<typeof signIn>>) =>
    (await session.browser.get('/core/users/me/')).status === 403 &&
    (await session.browser.post('/core/tokens/', { identifier: 'from-the-grave' })).status === 403;

  test('by deletion, by its owner or a superuser', async () => {
    const { user, admin } = server();
    const person = await user();
    for (const api of [person.api, admin]) {
      const session = await signIn(server(), person.pk);
      expect((await session.browser.get('/core/users/me/')).status).toBe(200);
      expect((await api.delete(`/core/authenticated_sessions/${session.pk}/`)).status).toBe(204);
      expect(await isDead(session)).toBe(true);
    }
  });

  test('by itself', async () => {
    const { user } = server();
    const person = await user();
    const session = await signIn(server(), person.pk);
    expect((await session.browser.delete(`/core/authenticated_sessions/${session.pk}/`)).status).toBe(204);
    expect(await isDead(session)).toBe(true);
  });

  test('because its user was switched off, got a new password or was deleted', async () => {
    const { user, admin } = server();
    const ends: ((pk: number) => Promise<unknown>)[] = [
      (pk) => admin.patch(`/core/users/${pk}/`, { is_active: false }),
      (pk) => admin.put(`/core/users/${pk}/`, { username: `user-${pk}`, name: '', is_active: false }),
      (pk) => admin.post(`/core/users/${pk}/set_password/`, { password: 'another one' }),
      (pk) => admin.delete(`/core/users/${pk}/`),
    ];
    for (const end of ends) {
      const person = await user();
      const session = await signIn(server(), person.pk);
      await end(person.pk);
      expect(await isDead(session)).toBe(true);
    }
  });

  test('is not revived by switching its user on again', async () => {
    const { user, admin } = server();
    const person = await user();
    const session = await signIn(server(), person.pk);
    await admin.patch(`/core/users/${person.pk}/`, { is_active: false });
    await admin.patch(`/core/users/${person.pk}/`, { is_active: true });
    expect(await isDead(session)).toBe(true);
  });

  test('takes its tokens’ keys with it when the token goes', async () => {
    const { user, admin, as } = server();
    const person = await user();
    await admin.post('/core/tokens/', { identifier: 'short-lived', user: person.pk });
    const { body } = await admin.get('/core/tokens/short-lived/view_key/');
    expect((await as(body.key).get('/core/users/me/')).status).toBe(200);
    await admin.delete('/core/tokens/short-lived/');
    expect((await as(body.key).get('/core/users/me/')).status).toBe(403);
  });
});
