import { expect, test } from 'vitest';
import { eventsDuring } from '../../support/events.ts';
import { bindExpression, made, makeWalk, unique } from '../../support/make-walk.ts';
import { describeOnBoth, type TestServer } from '../../support/server.ts';

const signIn = [
  ['identification', { user_fields: ['username'] }],
  ['password', { backends: ['svc.core.auth.InbuiltBackend'] }],
  ['user_login'],
] as const;

const designOf = async ({ admin }: TestServer, slug: string) =>
  (await admin.get(`/flows/instances/${slug}/design/`)).body;
const codesOf = async (server: TestServer, slug: string): Promise<string[]> =>
  (await designOf(server, slug)).findings.map(({ code }: { code: string }) => code);

describeOnBoth('the design of a flow', (server) => {
  test('has its stages in order, and what is bound to them', async () => {
    const walk = await makeWalk(server(), signIn, { designation: 'authentication' });
    const group = await made(server(), '/core/groups/', { name: unique('group') });
    const target = walk.bindings[1]?.target;
    await bindExpression(server(), String(target), 'return user.name !== "";');
    const values = { target, group: group.pk, order: 5, negate: true, enabled: false };
    const gate = await made(server(), '/policies/bindings/', values);
    const { steps, gates, findings, slug, designation } = await designOf(server(), walk.slug);
    expect({ slug, designation, gates, findings }).toEqual({
      ...{ slug: walk.slug, designation: 'authentication', gates: [], findings: [] },
    });
    expect(steps.map(({ pk }: { pk: string }) => pk)).toEqual(walk.bindings.map(({ pk }) => pk));
    expect(steps[1]).toMatchObject({
      stage: walk.stages[1],
      type: 'Password Stage',
      path: `/stages/password/${walk.stages[1]}/`,
      evaluate_on_plan: false,
      re_evaluate_policies: true,
      invalid_response_action: 'retry',
      gates: [
        { order: 0, enabled: true, negate: false, type: 'Expression Policy' },
        {
          ...{ pk: gate.pk, order: 5, enabled: false, negate: true, group: group.pk, user: null, policy: null },
          ...{ name: group.name, type: 'Group', path: `/core/groups/${group.pk}/` },
        },
      ],
    });
  });

  test('finds what is wrong with it, by its stages, policies and groups', async () => {
    const server_ = server();
    const walk = await makeWalk(server_, signIn, { designation: 'authentication' });
    expect(await codesOf(server_, walk.slug)).toEqual([]);
    const [, password, login] = walk.bindings;
    const group = await made(server_, '/core/groups/', { name: unique('group') });
    const gate = await made(server_, '/policies/bindings/', { target: login?.target, group: group.pk, order: 0 });
    expect(await codesOf(server_, walk.slug)).toEqual(['no-login', 'never-shown']);
    const member = await server_.user([], { groups: [group.pk] });
    expect(await codesOf(server_, walk.slug)).toEqual([]);
    await server_.admin.patch(`/core/users/${member.pk}/`, { is_active: false });
    expect(await codesOf(server_, walk.slug)).toEqual(['no-login', 'never-shown']);
    await server_.admin.patch(`/policies/bindings/${gate.pk}/`, { enabled: false });
    expect(await codesOf(server_, walk.slug)).toEqual([]);
    await bindExpression(server_, String(password?.target), '// Not now.\nreturn false;');
    const { findings } = await designOf(server_, walk.slug);
    expect(findings.map(({ code, binding }: { code: string; binding: string }) => [code, binding])).toEqual([
      ['unproven', login?.pk],
      ['never-shown', password?.pk],
    ]);
    const { results } = (await server_.admin.get('/core/brands/?default=true')).body;
    const brand = `/core/brands/${results[0].brand_uuid}/`;
    await bindExpression(server_, walk.pk, 'return false');
    await server_.admin.patch(brand, { flow_authentication: walk.pk });
    expect(await codesOf(server_, walk.slug)).toContain('locks-out');
    await server_.admin.patch(brand, { flow_authentication: results[0].flow_authentication });
  });

  test('finds nothing wrong with the flows of a fresh install', async () => {
    const { results } = (await server().admin.get('/flows/instances/?page_size=100&search=default-')).body;
    expect(results.length).toBeGreaterThan(12);
    for (const { slug } of [...results, { slug: 'initial-setup' }])
      expect([slug, await codesOf(server(), slug)]).toEqual([slug, []]);
  });

  test('hides from callers what they may not see', async () => {
    const walk = await makeWalk(server(), signIn, { designation: 'authentication' });
    await bindExpression(server(), String(walk.bindings[0]?.target), 'return true;');
    const path = `/flows/instances/${walk.slug}/design/`;
    const { api } = await server().user(['svc_flows.view_flow']);
    const { body } = await api.get(path);
    expect(body.findings).toBeNull();
    expect(body.steps).toHaveLength(3);
    expect(body.steps[0]).toMatchObject({ stage: null, name: null, type: null, path: null });
    expect(body.steps[0].gates).toMatchObject([{ policy: null, name: null, type: null, path: null }]);
    const viewer = await server().user(['svc_flows.view_flow', 'svc_flows.view_stage', 'svc_policies.view_policy']);
    expect((await viewer.api.get(path)).body).toEqual({
      ...(await designOf(server(), walk.slug)),
      locked: 'Users sign in through this flow. Only superusers may change or delete it.',
    });
    expect((await (await server().user(['svc_flows.view_stage'])).api.get(path)).status).toBe(403);
  });
});

describeOnBoth('the order of a flow', (server) => {
  const orderOf = async (slug: string): Promise<string[]> =>
    (await designOf(server(), slug)).steps.map(({ pk }: { pk: string }) => pk);

  test('is written at once, with an event for each stage that moved', async () => {
    const walk = await makeWalk(server(), [['dummy'], ['dummy'], ['dummy'], ['deny']]);
    const [a, b, c, d] = walk.bindings.map(({ pk }) => pk) as [string, string, string, string];
    const path = `/flows/instances/${walk.slug}/order/`;
    const seen = [a, b, c, d];
    const wanted = [b, c, a, d];
    expect((await server().admin.post(`${path}?dry_run=true`, { bindings: wanted, seen })).status).toBe(200);
    expect(await orderOf(walk.slug)).toEqual(seen);
    const events = await eventsDuring(server(), async () => {
      const { status, body } = await server().admin.post(path, { bindings: wanted, seen });
      expect({ status, body }).toEqual({ status: 200, body: { bindings: wanted } });
    });
    expect(events.map(({ action }) => action)).toEqual(['model_updated', 'model_updated', 'model_updated']);
    expect(await orderOf(walk.slug)).toEqual(wanted);
    const stale = await server().admin.post(path, { bindings: [d, c, b, a], seen });
    expect({ status: stale.status, code: stale.body.code }).toEqual({ status: 412, code: 'precondition_failed' });
    for (const bindings of [[], [a, b, c], [a, a, b, c], [a, b, c, d, walk.pk]]) {
      const { status, body } = await server().admin.post(path, { bindings });
      expect({ status, body }).toEqual({
        status: 400,
        body: { bindings: ['Name every stage binding of the flow once.'] },
      });
    }
    expect(await orderOf(walk.slug)).toEqual(wanted);
  });

  test('can be changed where stages share a number, and where one stage is there twice', async () => {
    const walk = await makeWalk(server(), [['dummy', {}, { order: 7 }], ['dummy', {}, { order: 7 }], ['dummy']]);
    const again = { target: walk.pk, stage: walk.stages[0], order: 30 };
    await made(server(), '/flows/bindings/', again);
    const path = `/flows/instances/${walk.slug}/order/`;
    const wanted = (await orderOf(walk.slug)).toReversed();
    expect((await server().admin.post(path, { bindings: wanted })).status).toBe(200);
    expect(await orderOf(walk.slug)).toEqual(wanted);
  });

  test('of two callers who saw the same order, one is told of the other', async () => {
    const walk = await makeWalk(server(), [['dummy'], ['dummy'], ['dummy']]);
    const seen = walk.bindings.map(({ pk }) => pk);
    const orders = [seen.toReversed(), [seen[1], seen[0], seen[2]]];
    const path = `/flows/instances/${walk.slug}/order/`;
    const answers = await Promise.all(orders.map((bindings) => server().admin.post(path, { bindings, seen })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412]);
    const winner = answers.find(({ status }) => status === 200);
    expect(await orderOf(walk.slug)).toEqual(winner?.body.bindings);
  });

  test('is changed by superusers alone', async () => {
    const walk = await makeWalk(server(), [['dummy'], ['dummy']]);
    const bindings = walk.bindings.map(({ pk }) => pk).toReversed();
    const rights = ['view_flow', 'change_flow', 'view_flowstagebinding', 'change_flowstagebinding'];
    const { api } = await server().user(rights.map((right) => `svc_flows.${right}`));
    expect((await api.post(`/flows/instances/${walk.slug}/order/`, { bindings })).status).toBe(403);
    expect(await orderOf(walk.slug)).toEqual(bindings.toReversed());
  });
});
