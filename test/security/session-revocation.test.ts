import { expect, test } from 'vitest';
import { openBrowser } from '../support/flow-client.ts';
import { makeRecovery, newPassword, recoverBy } from '../support/recovery.ts';
import { describeOnBoth } from '../support/server.ts';
import { signIn } from '../support/session.ts';
import { signedInBrowser } from '../support/signed-in-browser.ts';

// Deleting a session removed the row and left the cookie working (CVE-2025-29928).
describeOnBoth('session revocation: an ended session stays ended', (server) => {
  const isDead = async (session: Awaited<ReturnType<typeof signIn>>) =>
    (await session.browser.get('/core/users/me/')).status === 403 &&
    (await session.browser.post('/core/tokens/', { identifier: 'from-the-grave' })).status === 403;

  test('when its owner or a superuser deletes it', async () => {
    const { user, admin } = server();
    const person = await user();
    for (const api of [person.api, admin]) {
      const session = await signIn(server(), person.pk);
      expect((await session.browser.get('/core/users/me/')).status).toBe(200);
      expect((await api.delete(`/core/authenticated_sessions/${session.pk}/`)).status).toBe(204);
      expect(await isDead(session)).toBe(true);
    }
  });

  test('when it expires', async () => {
    const { user } = server();
    const person = await user();
    const session = await signIn(server(), person.pk);
    expect((await session.browser.delete(`/core/authenticated_sessions/${session.pk}/`)).status).toBe(204);
    expect(await isDead(session)).toBe(true);
  });

  test('when its user is deactivated, gets a new password or is deleted', async () => {
    const { user, admin } = server();
    const ends: ((pk: number) => Promise<unknown>)[] = [
      (pk) => admin.patch(`/core/users/${pk}/`, { is_active: false }),
      (pk) => admin.put(`/core/users/${pk}/`, { username: `user-${pk}`, name: '', is_active: false }),
      (pk) => admin.post(`/core/users/${pk}/set_password/`, { password: 'another one' }),
      (pk) => admin.post(`/core/users/${pk}/sign_out_everywhere/`),
      (pk) => admin.delete(`/core/users/${pk}/`),
    ];
    for (const end of ends) {
      const person = await user();
      const session = await signIn(server(), person.pk);
      await end(person.pk);
      expect(await isDead(session)).toBe(true);
    }
  });

  test('when its user chooses a new password: all others when signed in, all when recovering', async () => {
    const walk = await makeRecovery(server());
    await recoverBy(server(), walk.pk);
    const person = await server().user();
    const others = [await signIn(server(), person.pk), await signIn(server(), person.pk)] as const;
    const browser = await signedInBrowser(server(), person.pk);
    await browser.show('default-password-change');
    const twice = { password: 'chosen by myself', password_repeat: 'chosen by myself' };
    expect((await browser.answer('default-password-change', twice)).body.component).toBe('xak-flow-redirect');
    for (const session of others) expect(await isDead(session)).toBe(true);
    expect((await browser.get('/core/users/me/')).status).toBe(200);

    const { body } = await server().admin.post(`/core/users/${person.pk}/recovery/`);
    const query = new URL(body.link).search.slice(1);
    const recovering = openBrowser(server());
    await recovering.answer(walk.slug, { component: 'xak-stage-email' }, query);
    expect((await recovering.answer(walk.slug, newPassword, query)).body.component).toBe('xak-flow-redirect');
    expect((await browser.get('/core/users/me/')).status).toBe(403);
    expect((await recovering.get('/core/users/me/')).body.user.pk).toBe(person.pk);
  });

  test('and is not restored when its user is activated again', async () => {
    const { user, admin } = server();
    const person = await user();
    const session = await signIn(server(), person.pk);
    await admin.patch(`/core/users/${person.pk}/`, { is_active: false });
    await admin.patch(`/core/users/${person.pk}/`, { is_active: true });
    expect(await isDead(session)).toBe(true);
  });

  test('as does a token when it is deleted', async () => {
    const { user, admin, as } = server();
    const person = await user();
    await admin.post('/core/tokens/', { identifier: 'short-lived', user: person.pk });
    const { body } = await admin.get('/core/tokens/short-lived/view_key/');
    expect((await as(body.key).get('/core/users/me/')).status).toBe(200);
    await admin.delete('/core/tokens/short-lived/');
    expect((await as(body.key).get('/core/users/me/')).status).toBe(403);
  });
});
