import { expect, test } from 'vitest';
import { runJob } from '../../support/jobs.ts';
import { describeOnBoth } from '../../support/server.ts';

const path = '/rbac/permissions/';

describeOnBoth('permissions on an object that is deleted', (server) => {
  const assign = async (
    kind: 'users' | 'roles',
    holder: string | number,
    model: string,
    object_pk: string | number,
  ) => {
    const [app = '', name] = model.split('.');
    const body = { permissions: [`view_${name}`], model, object_pk: String(object_pk) };
    const answer = await server().admin.post(`${path}assigned_by_${kind}/${holder}/assign/`, body);
    expect([app, answer.status]).toEqual([app, 200]);
  };
  const held = async (query: string) => (await server().admin.get(`${path}${query}`)).body.results.length;

  test('go with it, and the list of its holder is refused again', async () => {
    const { admin, user } = server();
    const person = await user();
    const [one, other] = [
      (await admin.post('/core/groups/', { name: 'granted' })).body.pk,
      (await admin.post('/core/groups/', { name: 'granted too' })).body.pk,
    ];
    const role = (await admin.post('/rbac/roles/', { name: 'of grants' })).body;
    for (const pk of [one, other]) await assign('users', person.pk, 'svc_core.group', pk);
    await assign('roles', role.pk, 'svc_core.group', one);
    await admin.delete(`/core/groups/${one}/`);
    expect([await held(`users/?user_id=${person.pk}`), await held(`roles/?uuid=${role.pk}`)]).toEqual([1, 0]);
    expect((await person.api.get('/core/groups/')).body.results).toHaveLength(1);
    await admin.delete(`/core/groups/${other}/`);
    expect(await held(`users/?user_id=${person.pk}`)).toBe(0);
    expect((await person.api.get('/core/groups/')).status).toBe(403);
  });

  test('of a kind go with it as well, and stay with another object of the same key', async () => {
    const { admin, user } = server();
    const person = await user();
    const { body: policy } = await admin.post('/policies/dummy/', { name: 'granted' });
    const { body: kept } = await admin.post('/policies/dummy/', { name: 'kept' });
    for (const { pk } of [policy, kept]) await assign('users', person.pk, 'svc_policies_dummy.dummypolicy', pk);
    await admin.delete(`/policies/all/${policy.pk}/`);
    expect(await held(`users/?user_id=${person.pk}`)).toBe(1);
  });

  test('that was deleted along with another are cleaned up', async () => {
    const { admin, user } = server();
    const [person, owner] = [await user(), await user()];
    const { body: token } = await admin.post('/core/tokens/', { identifier: 'along', user: owner.pk, intent: 'api' });
    const { body: group } = await admin.post('/core/groups/', { name: 'stays' });
    await assign('users', person.pk, 'svc_core.token', token.pk);
    await assign('users', person.pk, 'svc_core.user', owner.pk);
    await assign('users', person.pk, 'svc_core.group', group.pk);
    await admin.delete(`/core/users/${owner.pk}/`);
    expect((await runJob(server(), 'clean_expired_models')).message).toContain(
      'permissions on deleted objects removed',
    );
    expect(await held(`users/?user_id=${person.pk}`)).toBe(1);
    expect((await person.api.get(`/core/groups/${group.pk}/`)).status).toBe(200);
  });

  test('are listed by the key of the object in any case', async () => {
    const { admin, user } = server();
    const person = await user();
    const { body: group } = await admin.post('/core/groups/', { name: 'in capitals' });
    const role = (await admin.post('/rbac/roles/', { name: 'in capitals' })).body;
    await assign('users', person.pk, 'svc_core.group', group.pk);
    await assign('roles', role.pk, 'svc_core.group', group.pk);
    for (const key of [group.pk, group.pk.toUpperCase()]) {
      const query = `?model=svc_core.group&object_pk=${key}`;
      const users = (await admin.get(`${path}assigned_by_users/${query}`)).body.results;
      expect(users.map(({ pk }: { pk: number }) => pk)).toContain(person.pk);
      const roles = (await admin.get(`${path}assigned_by_roles/${query}`)).body.results;
      expect(roles.map(({ role_pk }: { role_pk: string }) => role_pk)).toEqual([role.pk]);
    }
  });
});
