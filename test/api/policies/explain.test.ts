import { expect, test } from 'vitest';
import { unique } from '../../support/make-walk.ts';
import { describeOnBoth } from '../../support/server.ts';

const path = '/policies/explain/';

describeOnBoth('the explanation of access', (server) => {
  const ground = async () => {
    const { admin } = server();
    const slug = unique('app');
    const staff = (await admin.post('/core/groups/', { name: unique('Staff') })).body;
    const policy = (
      await admin.post('/policies/expression/', {
        name: unique('only dana'),
        expression:
          'message("not you"); return request.user.username.startsWith("dana") && request.obj.slug === "nothing";',
      })
    ).body;
    const app = (await admin.post('/core/applications/', { name: slug, slug })).body;
    await admin.post('/policies/bindings/', { target: app.pk, group: staff.pk, order: 0 });
    await admin.post('/policies/bindings/', { target: app.pk, policy: policy.pk, order: 1, negate: false });
    await admin.post('/policies/bindings/', { target: app.pk, policy: policy.pk, order: 2, enabled: false });
    const dana = await server().user([], { username: unique('dana'), groups: [staff.pk] });
    const eve = await server().user([], { username: unique('eve') });
    return { app, staff, policy, dana, eve };
  };

  test('has the result of every binding with its messages, as access is decided', async () => {
    const { admin } = server();
    const { app, staff, policy, dana, eve } = await ground();
    const of = async (user: number) => (await admin.get(`${path}?user=${user}&target=${app.pk}`)).body;
    expect(await of(dana.pk)).toMatchObject({
      passing: true,
      input: { username: dana.username, groups: [{ name: staff.name }] },
      nodes: [
        {
          ...{ model: 'svc_core.application', pk: app.pk, name: app.name, mode: 'any', passing: true },
          bindings: [
            {
              name: `the group ${staff.name}`,
              bound: { kind: 'group', name: staff.name },
              passing: true,
              messages: [],
            },
            { bound: { kind: 'policy', name: policy.name }, policy: policy.pk, passing: false, messages: ['not you'] },
          ],
        },
      ],
    });
    const { passing, nodes } = await of(eve.pk);
    expect([passing, nodes[0].bindings.map((one: { passing: boolean }) => one.passing)]).toEqual([
      false,
      [false, false],
    ]);
    const asked = (await admin.get(`/core/applications/${app.slug}/check_access/?for_user=${eve.pk}`)).body;
    expect(asked.passing).toBe(false);
  });

  test('of a flow has its stages in their order', async () => {
    const { admin } = server();
    const { dana } = await ground();
    const flow = (await admin.get('/flows/instances/default-authentication-flow/')).body;
    const { body } = await admin.get(`${path}?user=${dana.pk}&target=${flow.pk}`);
    const stages = (await admin.get(`/flows/bindings/?target=${flow.pk}&ordering=order`)).body.results;
    expect(body.nodes.map((one: { name: string }) => one.name)).toEqual([
      flow.name,
      ...stages.map((one: { stage_obj: { name: string } }) => one.stage_obj.name),
    ]);
  });

  test('is for those who may ask about the user and see the target; policies speak to their editors', async () => {
    const { app, dana, policy } = await ground();
    const question = `${path}?user=${dana.pk}&target=${app.pk}`;
    const needed = ['svc_policies.view_policybinding', 'svc_core.view_user', 'svc_core.view_user_applications'];
    const seen = [...needed, 'svc_core.view_application'];
    expect((await server().nobody.get(question)).status).toBe(403);
    expect((await dana.api.get(question)).status).toBe(403);
    for (const missing of seen) {
      const { api } = await server().user(seen.filter((one) => one !== missing));
      expect([missing, (await api.get(question)).status]).toEqual([missing, missing === needed[0] ? 403 : 400]);
    }
    const { api } = await server().user(seen);
    const { status, body } = await api.get(question);
    expect([status, body.input]).toEqual([200, {}]);
    expect(body.nodes[0].bindings[1]).toMatchObject({ policy: policy.pk, passing: false, messages: [], logs: [] });
  });

  test('names what is wrong with the question', async () => {
    const { admin } = server();
    const { app, dana } = await ground();
    const refusals = [
      [`?target=${app.pk}`, { user: ['This field is required.'] }],
      [`?user=x&target=${app.pk}`, { user: ['User not found'] }],
      [`?user=999999&target=${app.pk}`, { user: ['User not found'] }],
      [`?user=${dana.pk}&target=x`, { target: ['Enter a valid UUID.'] }],
      [`?user=${dana.pk}&target=${crypto.randomUUID()}`, { target: ['There is no such object.'] }],
    ] as const;
    for (const [query, complaints] of refusals) {
      const { status, body } = await admin.get(`${path}${query}`);
      expect([query, status, body]).toEqual([query, 400, complaints]);
    }
  });
});

describeOnBoth('the rights of a user', (server) => {
  test('are listed with their origins: directly, by a role of a group, on one object', async () => {
    const { admin } = server();
    const top = (await admin.post('/core/groups/', { name: unique('top') })).body;
    const below = (await admin.post('/core/groups/', { name: unique('below'), parent: top.pk })).body;
    const role = (await admin.post('/rbac/roles/', { name: unique('role') })).body;
    await admin.patch(`/core/groups/${top.pk}/`, { roles: [role.pk] });
    await admin.post(`/rbac/permissions/assigned_by_roles/${role.pk}/assign/`, {
      permissions: ['svc_core.view_group'],
    });
    const { pk, api } = await server().user(['svc_core.view_user'], { groups: [below.pk] });
    await admin.post(`/rbac/permissions/assigned_by_users/${pk}/assign/`, {
      ...{ permissions: ['svc_core.change_group'], model: 'svc_core.group', object_pk: below.pk },
    });
    const { body } = await admin.get(`/core/users/${pk}/rights/`);
    expect(body).toMatchObject({ is_superuser: false, superuser_groups: [] });
    expect(
      body.grants.map((one: Record<string, unknown>) => [one.permission, one.object_pk, one.role, one.group]),
    ).toEqual([
      ['svc_core.change_group', below.pk, null, null],
      [
        ...['svc_core.view_group', null],
        ...[
          { pk: role.pk, name: role.name },
          { pk: top.pk, name: top.name },
        ],
      ],
      ['svc_core.view_user', null, null, null],
    ]);
    const one = (await admin.get(`/core/users/${pk}/rights/?permission=svc_core.view_group`)).body.grants;
    expect(one.map(({ permission }: { permission: string }) => permission)).toEqual(['svc_core.view_group']);
    expect((await api.get(`/core/users/${pk}/rights/`)).status).toBe(403);
    const me = (await admin.get('/core/users/me/')).body.user.pk;
    expect((await admin.get(`/core/users/${me}/rights/`)).body).toMatchObject({
      is_superuser: true,
      superuser_groups: [{ name: 'Gatehouse Admins' }],
    });
  });
});
