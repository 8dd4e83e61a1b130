import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { eventsDuring } from '../../support/events.ts';
import { grantOn } from '../../support/grants.ts';

import { describeOnBoth } from '../../support/server.ts';
import { signIn } from '../../support/session.ts';

const rights = ['svc_core.view_user', 'svc_core.impersonate'];
const end = '/core/users/impersonate_end/';
const me = '/core/users/me/';

describeOnBoth('impersonation', (server) => {
  const start = (pk: number) => `/core/users/${pk}/impersonate/`;

  test('shows the other user, records both, and can be ended', async () => {
    const helper = await server().user([...rights, 'svc_core.add_group']);
    const person = await server().user(['svc_core.add_group']);
    const { browser } = await signIn(server(), helper.pk);
    const started = await eventsDuring(server(), async () => {
      expect((await browser.post(start(person.pk), { reason: 'a call for help' })).status).toBe(204);
    });
    expect(started).toMatchObject([
      {
        action: 'impersonation_started',
        username: helper.username,
        context: { model: { pk: person.pk }, reason: 'a call for help' },
      },
    ]);
    const { body } = await browser.get(me);
    expect([body.user.pk, body.original.pk]).toEqual([person.pk, helper.pk]);
    expect((await browser.get('/core/users/')).status).toBe(403);
    expect((await browser.post('/core/groups/', { name: `made-for-${person.pk}` })).status).toBe(201);
    const { results } = (await server().admin.get('/events/events/?action=model_created&ordering=-created')).body;
    expect(results[0].user).toMatchObject({ username: helper.username, on_behalf_of: { username: person.username } });
    const ended = await eventsDuring(server(), async () => {
      expect((await browser.get(end)).status).toBe(204);
    });
    expect(ended).toMatchObject([
      { action: 'impersonation_ended', username: helper.username, context: { model: { pk: person.pk } } },
    ]);
    const after = (await browser.get(me)).body;
    expect([after.user.pk, 'original' in after]).toEqual([helper.pk, false]);
    expect(await eventsDuring(server(), () => browser.get(end))).toEqual([]);
  });

  test('needs the permission on all users or on this one', async () => {
    const person = await server().user();
    const stranger = await server().user(['svc_core.view_user']);
    const { browser } = await signIn(server(), stranger.pk);
    expect((await browser.post(start(person.pk))).status).toBe(403);
    await grantOn(server(), stranger.pk, 'svc_core.impersonate', person.pk);
    expect((await browser.post(start(person.pk))).status).toBe(204);
    expect((await server().nobody.post(start(person.pk))).status).toBe(403);
  });

  test.each([
    ['themselves', async (own: number) => own, 'You cannot act as yourself.'],
    [
      'somebody who is not active',
      async () => (await server().user([], { is_active: false })).pk,
      'Inactive users cannot be impersonated.',
    ],
  ])('of %s is refused', async (_who, target, words) => {
    const helper = await server().user(rights);
    const { browser } = await signIn(server(), helper.pk);
    const answer = await browser.post(start(await target(helper.pk)));
    expect([answer.status, answer.body]).toEqual([400, { non_field_errors: [words] }]);
  });

  test('is refused to bearer tokens and to impersonators', async () => {
    const helper = await server().user(rights);
    const person = await server().user(rights);
    expect((await helper.api.post(start(person.pk))).status).toBe(403);
    const { browser } = await signIn(server(), helper.pk);
    await browser.post(start(person.pk));
    const other = await server().user();
    expect((await browser.post(start(other.pk))).body).toEqual({
      non_field_errors: ['You act as another user already.'],
    });
  });

  test('can be switched off in the settings, which may also require a reason', async () => {
    const { admin } = server();
    const helper = await server().user(rights);
    const person = await server().user();
    const { browser } = await signIn(server(), helper.pk);
    await admin.patch('/admin/settings/', { impersonation_require_reason: true });
    expect((await browser.post(start(person.pk))).body).toEqual({ reason: ['This field is required.'] });
    expect((await browser.post(start(person.pk), { reason: 'asked to' })).status).toBe(204);
    await admin.patch('/admin/settings/', { impersonation: false, impersonation_require_reason: false });
    expect((await admin.get('/root/config/')).body.capabilities).not.toContain('can_impersonate');
    expect((await browser.get(me)).status).toBe(403);
    const again = await signIn(server(), helper.pk);
    expect((await again.browser.post(start(person.pk))).status).toBe(403);
    await admin.patch('/admin/settings/', { impersonation: true });
    expect((await admin.get('/root/config/')).body.capabilities).toContain('can_impersonate');
  });

  test('ends when the user or the administrator is switched off', async () => {
    for (const which of ['helper', 'person'] as const) {
      const users = { helper: await server().user(rights), person: await server().user() };
      const { browser } = await signIn(server(), users.helper.pk);
      await browser.post(start(users.person.pk));
      await server().admin.patch(`/core/users/${users[which].pk}/`, { is_active: false });
      expect((await browser.get(me)).status).toBe(403);
    }
  });

  test('of an internal service account is refused with the reason', async () => {
    const { browser } = await signIn(server(), (await server().user(rights)).pk);
    const { pk } = await server().user();
    await server().world.db.write((tx) =>
      sql`update users set type = 'internal_service_account' where pk = ${pk}`.execute(tx),
    );
    const { status, body } = await browser.post(start(pk));
    expect([status, body.detail]).toEqual([403, 'Internal service accounts cannot be impersonated.']);
  });

  test('is not started by a dry run', async () => {
    const helper = await server().user(rights);
    const person = await server().user();
    const { browser } = await signIn(server(), helper.pk);
    expect((await browser.post(`${start(person.pk)}?dry_run=true`)).status).toBe(204);
    expect((await browser.get(me)).body.user.pk).toBe(helper.pk);
  });
});
