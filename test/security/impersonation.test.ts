import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { eventsDuring } from '../support/events.ts';
import { grantOn } from '../support/grants.ts';

import { makeWalk, unique } from '../support/make-walk.ts';
import { describeOnBoth } from '../support/server.ts';
import { signIn } from '../support/session.ts';
import { signedInBrowser } from '../support/signed-in-browser.ts';

const rights = ['svc_core.view_user', 'svc_core.impersonate'];
const me = '/core/users/me/';

// Delegated administrators rise by acting as a user who may more than they do (CVE-2026-9795 and its like).
describeOnBoth('impersonation', (server) => {
  const acts = async (helper: number, target: number) => {
    const { browser } = await signIn(server(), helper);
    return (await browser.post(`/core/users/${target}/impersonate/`)).status;
  };
  const group = async (values: Record<string, unknown>) =>
    (await server().admin.post('/core/groups/', { name: unique('group'), ...values })).body.pk as string;

  test('of superusers, directly or by a parent group, is allowed to superusers only', async () => {
    const helper = await server().user(rights);
    const above = await group({ is_superuser: true });
    const below = await group({ parent: above });
    const superuser = await server().user([], { groups: [below] });
    const root = await server().user([], { groups: [above] });
    expect(await acts(helper.pk, superuser.pk)).toBe(403);
    expect(await acts(root.pk, superuser.pk)).toBe(204);
  });

  test('is refused when the user holds a permission that the impersonator lacks', async () => {
    const helper = await server().user(rights);
    const thing = await group({});
    const direct = await server().user(['svc_core.change_user']);
    const onObject = await server().user();
    await grantOn(server(), onObject.pk, 'svc_core.change_group', thing);
    const role = (await server().admin.post('/rbac/roles/', { name: unique('role') })).body.pk;
    const body = { permissions: ['svc_core.delete_group'], model: 'svc_core.group', object_pk: thing };
    await server().admin.post(`/rbac/permissions/assigned_by_roles/${role}/assign/`, body);
    const byRole = await server().user([], { groups: [await group({ roles: [role] })] });
    for (const target of [direct, onObject, byRole]) expect(await acts(helper.pk, target.pk)).toBe(403);
    await grantOn(server(), helper.pk, 'svc_core.change_group', thing);
    expect(await acts(helper.pk, onObject.pk)).toBe(204);
    const equal = await server().user(rights);
    expect(await acts(helper.pk, equal.pk)).toBe(204);
  });

  test('is allowed for users with tokens of their own', async () => {
    const helper = await server().user(rights);
    const person = await server().user();
    await person.api.post('/core/tokens/', { identifier: unique('token') });
    expect(await acts(helper.pk, person.pk)).toBe(204);
  });

  test('is checked at each request against permissions gained or lost', async () => {
    for (const change of ['gained', 'lost'] as const) {
      const helper = await server().user(rights);
      const person = await server().user();
      const { browser } = await signIn(server(), helper.pk);
      await browser.post(`/core/users/${person.pk}/impersonate/`);
      expect((await browser.get(me)).status).toBe(200);
      if (change === 'gained') {
        const { body } = await server().admin.get('/core/groups/?name=Gatehouse%20Admins');
        await server().admin.post(`/core/groups/${body.results[0].pk}/add_user/`, { pk: person.pk });
      } else {
        await server().world.db.write((tx) =>
          sql`delete from user_permissions where "user" = ${helper.pk}`.execute(tx),
        );
      }
      const events = await eventsDuring(server(), async () => {
        expect((await browser.get(me)).status).toBe(403);
      });
      expect(events.map(({ action, username }) => [action, username])).toEqual([
        ['impersonation_ended', helper.username],
      ]);
      expect((await browser.get(me)).status).toBe(403);
    }
  });

  test('cannot create a token, key, password or session', async () => {
    const helper = await server().user([...rights, 'svc_core.reset_user_password']);
    const person = await server().user(['svc_core.view_user', 'svc_core.reset_user_password']);
    const identifier = unique('token');
    await person.api.post('/core/tokens/', { identifier });
    const login = await makeWalk(server(), [['user_login']]);
    const browser = await signedInBrowser(server(), helper.pk);
    expect((await browser.post(`/core/users/${person.pk}/impersonate/`)).status).toBe(204);
    const attempts = [
      await browser.post('/core/tokens/', { identifier: unique('token') }),
      await browser.get(`/core/tokens/${identifier}/view_key/`),
      await browser.post(`/core/users/${person.pk}/set_password/`, { password: 'mine from now on' }),
    ];
    expect(attempts.map(({ status }) => status)).toEqual([403, 403, 403]);
    await browser.show('default-password-change');
    const password = { password: 'mine from now on', password_repeat: 'mine from now on' };
    expect((await browser.answer('default-password-change', password)).body.component).toBe('xak-stage-access-denied');
    expect((await browser.answer(login.slug, {})).body.component).toBe('xak-stage-access-denied');
    expect((await browser.get(me)).body.original.pk).toBe(helper.pk);
    expect((await person.api.get('/core/authenticated_sessions/')).body.results).toEqual([]);
  });

  test('needs a CSRF token to be ended, although that is a GET', async () => {
    const helper = await server().user(rights);
    const person = await server().user();
    const { browser, otherSite } = await signIn(server(), helper.pk);
    await browser.post(`/core/users/${person.pk}/impersonate/`);
    expect((await otherSite.post(`/core/users/${person.pk}/impersonate/`)).status).toBe(403);
    expect((await otherSite.get('/core/users/impersonate_end/')).status).toBe(403);
    expect((await browser.get(me)).body.user.pk).toBe(person.pk);
  });
});
