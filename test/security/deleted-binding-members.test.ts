import { expect, test } from 'vitest';
import { made, makePrompt, makeWalk, unique } from '../support/make-walk.ts';
import { describeOnBoth, type TestUser } from '../support/server.ts';
import { signedInBrowser } from '../support/signed-in-browser.ts';

// Bindings went with the group or user that they named, and an application without any is open to everybody: a client
// of a SCIM source that deleted a group opened all that was for its members.
describeOnBoth('bindings of deleted groups and users match no user', (server) => {
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
    const nothing = { policy: null, group: null, user: null, group_obj: null, user_obj: null };
    expect(left).toMatchObject([nothing, nothing, nothing]);
    expect((await server().admin.patch(`/policies/bindings/${left[0].pk}/`, { user: anybody.pk })).status).toBe(200);
    expect(await app.isOpenTo(anybody)).toBe(true);
    for (const { pk } of left) expect((await server().admin.delete(`/policies/bindings/${pk}/`)).status).toBe(204);
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

  /** One object of each kind that bindings decide about, by the key of its bindings. */
  const targets = {
    application: async (mode: string) => {
      const { slug, target } = await application();
      await server().admin.patch(`/core/applications/${slug}/`, { policy_engine_mode: mode });
      return target;
    },
    flow: async (mode: string) => (await makeWalk(server(), [], { policy_engine_mode: mode })).pk,
    source: async (mode: string) => {
      const slug = unique('source');
      const keys = { consumer_key: 'k', consumer_secret: 's', provider_type: 'github' };
      return (await made(server(), '/sources/oauth/', { name: slug, slug, policy_engine_mode: mode, ...keys })).pk;
    },
    'stage of a flow': async (mode: string) =>
      (await makeWalk(server(), [['dummy', {}, { policy_engine_mode: mode }]])).bindings[0]?.target,
    'notification rule': async (_mode: string) =>
      (await made(server(), '/events/rules/', { name: unique('rule'), severity: 'alert' })).pk,
  };
  test.each(Object.entries(targets))('like a group without members: %s', async (_, makeTarget) => {
    const { admin } = server();
    const [member, other] = [await server().user(), await server().user()];
    const passing = async (target: string) => {
      const explained = ({ pk }: TestUser) => admin.get(`/policies/explain/?user=${pk}&target=${target}`);
      return { member: (await explained(member)).body.passing, other: (await explained(other)).body.passing };
    };
    for (const mode of ['all', 'any']) {
      for (const kind of ['group', 'user'] as const) {
        for (const negate of [false, true]) {
          const { pk: kept } = await made(server(), '/core/groups/', { name: unique('g'), users: [member.pk] });
          for (const beside of [[], [{ group: kept }]]) {
            const target = await makeTarget(mode);
            const bound =
              kind === 'user'
                ? (await server().user()).pk
                : (await made(server(), '/core/groups/', { name: unique('g'), users: [member.pk] })).pk;
            for (const [order, binding] of [{ [kind]: bound, negate }, ...beside].entries())
              await made(server(), '/policies/bindings/', { target, order, ...binding });
            const path = `/core/${kind}s/${bound}/`;
            const uses = (await admin.get(`${path}used_by/`)).body;
            expect(uses).toContainEqual(expect.objectContaining({ model_name: 'policybinding', action: 'set_null' }));
            if (kind === 'group') await admin.patch(path, { users: [] });
            const before = await passing(target);
            expect((await admin.delete(path)).status).toBe(204);
            const what = { mode, kind, negate, beside: beside.length };
            expect({ ...what, ...(await passing(target)) }).toEqual({ ...what, ...before });
            if (!negate && beside.length === 0) expect(before).toEqual({ member: false, other: false });
          }
        }
      }
    }
  });

  const policy = () => made(server(), '/policies/expression/', { name: unique('p'), expression: 'return true' });
  const notDeleted = async (pk: string, model_name: string): Promise<void> => {
    const { admin } = server();
    expect((await admin.get(`/policies/expression/${pk}/used_by/`)).body).toMatchObject([
      { model_name, action: 'protect' },
    ]);
    for (const path of [`/policies/expression/${pk}/`, `/policies/all/${pk}/`]) {
      const { status, text } = await admin.delete(path);
      expect([status, text]).toEqual([400, expect.stringContaining('depends on it')]);
    }
    expect((await admin.get(`/policies/expression/${pk}/`)).status).toBe(200);
  };

  // Without its policy, a target is open to everybody or to no user, and a stage is passed by others than before.
  test.each(Object.entries(targets))('a policy is not deleted while it decides about: %s', async (_, makeTarget) => {
    const { admin } = server();
    const { pk } = await policy();
    const target = await makeTarget('any');
    const binding = await made(server(), '/policies/bindings/', { target, policy: pk, order: 0 });
    await notDeleted(pk, 'policybinding');
    expect((await admin.delete(`/policies/bindings/${binding.pk}/`)).status).toBe(204);
    expect((await admin.delete(`/policies/expression/${pk}/`)).status).toBe(204);
  });

  test('nor while it validates what people enter', async () => {
    const { pk } = await policy();
    const fields = [await makePrompt(server(), 'colour', 'text')];
    const stage = { name: unique('asks'), fields, validation_policies: [pk] };
    const { pk: stagePk } = await made(server(), '/stages/prompt/stages/', stage);
    await notDeleted(pk, 'promptstage');
    expect((await server().admin.delete(`/stages/prompt/stages/${stagePk}/`)).status).toBe(204);
    expect((await server().admin.delete(`/policies/expression/${pk}/`)).status).toBe(204);
  });

  test('a binding that names no user keeps its order, and can be turned off', async () => {
    const { pk: group } = await made(server(), '/core/groups/', { name: unique('g') });
    const app = await application({ group });
    await server().admin.delete(`/core/groups/${group}/`);
    const [{ pk }] = await app.bound();
    const path = `/policies/bindings/${pk}/`;
    expect((await server().admin.patch(path, { order: 5 })).body).toMatchObject({ order: 5, group: null });
    expect(await app.isOpenTo(await server().user())).toBe(false);
    expect((await server().admin.patch(path, { enabled: false })).status).toBe(200);
    expect(await app.isOpenTo(await server().user())).toBe(true);
  });

  test('whoever asks why is told that a group or user is deleted', async () => {
    const { admin } = server();
    const { pk: group } = await made(server(), '/core/groups/', { name: unique('g') });
    const [app, walk] = [await application({ group }), await makeWalk(server(), [])];
    await made(server(), '/policies/bindings/', { target: walk.pk, group, order: 0 });
    await admin.delete(`/core/groups/${group}/`);
    const name = 'a group or user that is deleted';
    const { pk } = await server().user();
    const [node] = (await admin.get(`/policies/explain/?user=${pk}&target=${app.target}`)).body.nodes;
    expect(node.bindings).toMatchObject([{ name, bound: { kind: 'deleted', name: '' }, passing: false }]);
    const checked = (await admin.get(`/core/applications/${app.slug}/check_access/?for_user=${pk}`)).body;
    expect(checked.log_messages).toMatchObject([{ event: `Refused by ${name}.` }]);
    expect((await admin.get(`/flows/instances/${walk.slug}/diagram/`)).body.diagram).toContain(`<br>${name}"`);
  });

  test('and no user is locked out of a flow of which a stage was for a deleted group', async () => {
    const { pk: group } = await made(server(), '/core/groups/', { name: unique('g') });
    const walk = await makeWalk(server(), [['dummy'], ['deny']]);
    for (const [at, negate] of [true, false].entries())
      await made(server(), '/policies/bindings/', { target: walk.bindings[at]?.target, group, negate, order: 0 });
    const browser = await signedInBrowser(server(), (await server().user()).pk);
    const show = async () => (await browser.show(walk.slug)).body;
    expect(await show()).toMatchObject({ component: 'xak-stage-dummy' });
    expect((await server().admin.delete(`/core/groups/${group}/`)).status).toBe(204);
    expect(await show()).toMatchObject({ component: 'xak-stage-dummy' });
    expect((await browser.answer(walk.slug, { component: 'xak-stage-dummy' })).body.component).toBe(
      'xak-flow-redirect',
    );
  });
});
