import { expect, test } from 'vitest';
import { made, unique } from '../support/make-walk.ts';
import { describeOnBoth, type TestUser } from '../support/server.ts';

// Bindings went with the group or user that they named, and an application without any is open to everybody: a client of
// a SCIM source that deleted a group opened all that was for its members.
describeOnBoth('class 46: what was for a deleted group or user is for nobody', (server) => {
  async function scimClient() {
    const slug = unique('source');
    const { token_obj } = await made(server(), '/sources/scim/', { name: slug, slug });
    const { key } = (await server().admin.get(`/core/tokens/${token_obj.identifier}/view_key/`)).body;
    return (method: string, path: string, body?: object) =>
      server().as(key).send(method, `/source/scim/${slug}/v2/${path}`, body);
  }
  const application = async (...bindings: object[]) => {
    const slug = unique('app');
    const { pk: target } = await made(server(), '/core/applications/', { name: slug, slug });
    for (const [order, binding] of bindings.entries())
      await made(server(), '/policies/bindings/', { target, order, ...binding });
    const bound = async () => (await server().admin.get(`/policies/bindings/?target=${target}`)).body.results;
    const isOpenTo = async ({ api }: TestUser): Promise<boolean> =>
      (await api.get(`/core/applications/${slug}/check_access/`)).body.passing;
    return { slug, target, bound, isOpenTo };
  };

  test('by a client of a SCIM source', async () => {
    const scim = await scimClient();
    const name = unique('finance');
    const schemas = (type: string) => [`urn:ietf:params:scim:schemas:core:2.0:${type}`];
    const group = await scim('POST', 'Groups', { schemas: schemas('Group'), displayName: name, externalId: name });
    const user = await scim('POST', 'Users', { schemas: schemas('User'), userName: name, externalId: name });
    const [groupHere] = (await server().admin.get(`/core/groups/?name=${name}`)).body.results;
    const [userHere] = (await server().admin.get(`/core/users/?username=${name}`)).body.results;
    const [forGroup, forUser] = [await application({ group: groupHere.pk }), await application({ user: userHere.pk })];
    expect((await scim('DELETE', `Groups/${group.body.id}`)).status).toBe(204);
    expect((await scim('DELETE', `Users/${user.body.id}`)).status).toBe(204);
    const anybody = await server().user();
    expect([await forGroup.isOpenTo(anybody), await forUser.isOpenTo(anybody)]).toEqual([false, false]);
  });

  test('by an administrator, who opens it by deleting the binding that is left', async () => {
    const groups = [];
    for (let at = 0; at < 3; at += 1) groups.push((await made(server(), '/core/groups/', { name: unique('g') })).pk);
    const [one, two, negated] = groups;
    const anybody = await server().user();
    const app = await application({ group: one }, { group: two }, { group: negated, negate: true, enabled: false });
    for (const group of groups) expect((await server().admin.delete(`/core/groups/${group}/`)).status).toBe(204);
    expect(await app.isOpenTo(anybody)).toBe(false);
    const left = await app.bound();
    expect(left).toMatchObject([{ policy: null, group: null, user: null, group_obj: null, user_obj: null }]);
    expect((await server().admin.patch(`/policies/bindings/${left[0].pk}/`, { user: anybody.pk })).status).toBe(200);
    expect(await app.isOpenTo(anybody)).toBe(true);
    expect((await server().admin.delete(`/policies/bindings/${left[0].pk}/`)).status).toBe(204);
    expect(await app.isOpenTo(await server().user())).toBe(true);
  });

  test('where all bindings must pass, too', async () => {
    const { pk: group } = await made(server(), '/core/groups/', { name: unique('g') });
    const { pk: policy } = await made(server(), '/policies/expression/', {
      name: unique('p'),
      expression: 'return true',
    });
    const app = await application({ policy }, { group });
    await server().admin.patch(`/core/applications/${app.slug}/`, { policy_engine_mode: 'all' });
    await server().admin.delete(`/core/groups/${group}/`);
    expect(await app.isOpenTo(await server().user())).toBe(false);
  });
});
