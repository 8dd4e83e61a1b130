import { expect, test } from 'vitest';
import { eventsAbout } from '../../support/events.ts';
import { grantOn } from '../../support/grants.ts';

import { describeOnBoth } from '../../support/server.ts';

const path = '/policies/bindings/';
const missing = '00000000-0000-4000-8000-000000000000';
let made = 0;
const unique = (word: string) => `${word}-${++made}`;

describeOnBoth('policy bindings', (server) => {
  const create = async (where: string, body: Record<string, unknown>) => {
    const answer = await server().admin.post(where, body);
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
    return answer.body;
  };
  const policy = () => create('/policies/expression/', { name: unique('policy'), expression: 'return true' });
  const rule = () => create('/events/rules/', { name: unique('rule') });
  const group = () => create('/core/groups/', { name: unique('group') });

  test('bind one policy to an object, with defaults', async () => {
    const { admin } = server();
    const bound = await policy();
    const target = await rule();
    const { status, body } = await admin.post(path, { policy: bound.pk, target: target.pk, order: 0 });
    expect(status).toBe(201);
    expect(body).toEqual({
      pk: expect.any(String),
      policy: bound.pk,
      group: null,
      user: null,
      policy_obj: {
        pk: bound.pk,
        name: bound.name,
        execution_logging: false,
        component: 'xak-policy-expression-form',
        verbose_name: 'Expression Policy',
        verbose_name_plural: 'Expression Policies',
        meta_model_name: 'svc_policies_expression.expressionpolicy',
        bound_to: 1,
      },
      group_obj: null,
      user_obj: null,
      target: target.pk,
      negate: false,
      enabled: true,
      order: 0,
      timeout: 30,
      failure_result: false,
    });
    expect((await eventsAbout(server(), body.pk)).map(({ action }) => action)).toEqual(['model_created']);
    const usedBy = await admin.get(`/policies/all/${bound.pk}/used_by/`);
    expect(usedBy.body).toEqual([
      { app: 'svc_policies', model_name: 'policybinding', pk: body.pk, name: expect.any(String), action: 'protect' },
    ]);
  });

  test('bind a group or a user as well, shown with who they are', async () => {
    const { admin, user } = server();
    const target = await rule();
    const members = await group();
    const person = await user();
    const byGroup = await create(path, { group: members.pk, target: target.pk, order: 1 });
    expect(byGroup.group_obj).toMatchObject({ pk: members.pk, name: members.name, users_obj: [] });
    const byUser = await create(path, { user: person.pk, target: target.pk, order: 2 });
    expect(byUser.user_obj).toMatchObject({ pk: person.pk, username: person.username });
    const { body } = await admin.get(`${path}?target=${target.pk}`);
    expect(body.results.map(({ order }: { order: number }) => order)).toEqual([1, 2]);
  });

  test('a flow is the target by its own key or by that of the target, and shown by its own', async () => {
    const { admin } = server();
    const flow = await create('/flows/instances/', {
      name: 'f',
      slug: unique('flow'),
      title: 'F',
      designation: 'authentication',
    });
    const bound = await policy();
    const first = await create(path, { policy: bound.pk, target: flow.pk, order: 0 });
    const second = await create(path, { policy: bound.pk, target: flow.policybindingmodel_ptr_id, order: 1 });
    expect([first.target, second.target]).toEqual([flow.pk, flow.pk]);
    for (const key of [flow.pk, flow.policybindingmodel_ptr_id]) {
      const { body } = await admin.get(`${path}?target=${key}`);
      expect(body.pagination.count).toBe(2);
    }
    const moved = await admin.patch(`${path}${first.pk}/`, { order: 7 });
    expect(moved.body).toMatchObject({ target: flow.pk, order: 7 });
    await admin.delete(`/flows/instances/${flow.slug}/`);
    expect((await admin.get(`${path}${first.pk}/`)).status).toBe(404);
  });

  test('must name exactly one of policy, group and user', async () => {
    const { admin } = server();
    const target = (await rule()).pk;
    const bound = await policy();
    const members = await group();
    const only = { non_field_errors: ["Only one of 'policy', 'group' or 'user' can be set."] };
    const one = { non_field_errors: ["One of 'policy', 'group' or 'user' must be set."] };
    const both = await admin.post(path, { policy: bound.pk, group: members.pk, target, order: 0 });
    expect(both.status).toBe(400);
    expect(both.body).toEqual(only);
    expect((await admin.post(path, { target, order: 0 })).body).toEqual(one);
    expect((await admin.post(path, { policy: null, user: '', target, order: 0 })).body).toEqual(one);
    const binding = await create(path, { policy: bound.pk, target, order: 0 });
    expect((await admin.patch(`${path}${binding.pk}/`, { group: members.pk })).body).toEqual(only);
    expect((await admin.patch(`${path}${binding.pk}/`, { policy: null })).body).toEqual(one);
    const turned = await admin.patch(`${path}${binding.pk}/`, { policy: null, group: members.pk });
    expect(turned.body).toMatchObject({ policy: null, group: members.pk });
    const replaced = await admin.put(`${path}${binding.pk}/`, { policy: bound.pk, target, order: 3 });
    expect(replaced.body).toMatchObject({ policy: bound.pk, group: null, order: 3 });
  });

  test('invalid bindings are refused, dangling references too', async () => {
    const { admin } = server();
    const bad = await admin.post(path, {
      policy: missing,
      group: 'x',
      user: 'y',
      target: 'z',
      order: 'first',
      timeout: -1,
    });
    expect(bad.status).toBe(400);
    expect(bad.body).toEqual({
      policy: [`Invalid pk "${missing}" - object does not exist.`],
      group: ['“x” is not a valid UUID.'],
      user: ['Incorrect type. Expected pk value, received str.'],
      target: ['“z” is not a valid UUID.'],
      order: ['A valid integer is required.'],
      timeout: ['Ensure this value is greater than or equal to 0.'],
    });
    const bound = await policy();
    const nowhere = await admin.post(path, { policy: bound.pk, target: missing, order: 0 });
    expect(nowhere.body).toEqual({ target: [`Invalid pk "${missing}" - object does not exist.`] });
    expect((await admin.post(path, {})).body).toEqual({
      target: ['This field is required.'],
      order: ['This field is required.'],
    });
  });

  test('a policy is bound only once at the same order of a target', async () => {
    const { admin } = server();
    const bound = await policy();
    const { pk: target } = await rule();
    await create(path, { policy: bound.pk, target, order: 5 });
    const again = await admin.post(path, { policy: bound.pk, target, order: 5 });
    expect(again.status).toBe(400);
    expect(again.body).toEqual({ non_field_errors: ['The fields policy, target, order must make a unique set.'] });
  });

  test('every filter narrows the list', async () => {
    const { admin } = server();
    const bound = await policy();
    const members = await group();
    const [first, second] = [await rule(), await rule()];
    const values = { policy: bound.pk, target: first.pk, order: 11, enabled: false, timeout: 77 };
    const byPolicy = await create(path, values);
    const byGroup = await create(path, { group: members.pk, target: second.pk, order: 12 });
    const both = `target_in=${first.pk}&target_in=${second.pk}`;
    const found = async (filter: string) =>
      (await admin.get(`${path}?${filter}`)).body.results.map(({ pk }: { pk: string }) => pk);
    expect(await found(both)).toEqual([byPolicy.pk, byGroup.pk]);
    expect(await found(`${both}&enabled=false`)).toEqual([byPolicy.pk]);
    expect(await found(`${both}&order=12`)).toEqual([byGroup.pk]);
    expect(await found(`${both}&policy__isnull=true`)).toEqual([byGroup.pk]);
    expect(await found(`${both}&policy__isnull=false`)).toEqual([byPolicy.pk]);
    expect(await found(`policy=${bound.pk}`)).toEqual([byPolicy.pk]);
    expect(await found(`target=${second.pk}`)).toEqual([byGroup.pk]);
    expect(await found('timeout=77')).toEqual([byPolicy.pk]);
    expect(await found(`search=${bound.name}`)).toEqual([byPolicy.pk]);
    const unknown = await admin.get(`${path}?target=${missing}&policy=x&target_in=y`);
    expect(unknown.body).toEqual({
      target: ['Select a valid choice. That choice is not one of the available choices.'],
      policy: ['“x” is not a valid UUID.'],
      target_in: ['“y” is not a valid UUID.'],
    });
    const unbound = await admin.get(`/policies/all/?name=${bound.name}&bindings__isnull=true`);
    expect(unbound.body.results).toEqual([]);
    const free = await admin.get(`/policies/all/?name=${bound.name}&bindings__isnull=false&promptstage__isnull=true`);
    expect(free.body.results).toHaveLength(1);
  });

  test('bound_to counts bindings, disabled ones too, and deleting the target deletes them', async () => {
    const { admin } = server();
    const bound = await policy();
    const target = await rule();
    const binding = await create(path, { policy: bound.pk, target: target.pk, order: 1, enabled: false });
    await create(path, { policy: bound.pk, target: target.pk, order: 2 });
    expect((await admin.get(`/policies/expression/${bound.pk}/`)).body.bound_to).toBe(2);
    await admin.delete(`/events/rules/${target.pk}/`);
    expect((await admin.get(`${path}${binding.pk}/`)).status).toBe(404);
    expect((await admin.get(`/policies/expression/${bound.pk}/`)).body.bound_to).toBe(0);
  });

  test('bindings require permission for themselves and for their target', async () => {
    const running = server();
    const bound = await policy();
    const { pk: target } = await rule();
    const binding = await create(path, { policy: bound.pk, target, order: 1 });
    const stranger = await running.user();
    expect((await stranger.api.get(path)).status).toBe(403);
    expect((await stranger.api.post(path, { policy: bound.pk, target, order: 2 })).status).toBe(403);
    await grantOn(running, stranger.pk, 'svc_policies.view_policybinding', binding.pk);
    expect((await stranger.api.get(path)).body.pagination.count).toBe(1);
    expect((await stranger.api.delete(`${path}${binding.pk}/`)).status).toBe(403);
    await grantOn(running, stranger.pk, 'svc_policies.delete_policybinding', binding.pk);
    expect((await stranger.api.delete(`${path}${binding.pk}/`)).status).toBe(403);
    await grantOn(running, stranger.pk, 'svc_events.change_notificationrule', target);
    expect((await stranger.api.delete(`${path}${binding.pk}/`)).status).toBe(204);
  });
});
