import { beforeAll, expect, test } from 'vitest';
import type { Api } from '../support/api.ts';
import { openBrowser, signInFlow } from '../support/flow-client.ts';
import { made, unique } from '../support/make-walk.ts';
import { describeOnBoth } from '../support/server.ts';

const rightsOn = (...models: string[]) =>
  models.flatMap((model) => {
    const [app, name] = model.split('.');
    return ['view', 'add', 'change', 'delete'].map((verb) => `${app}.${verb}_${name}`);
  });
const flowParts = rightsOn(
  'svc_flows.flow',
  'svc_flows.flowstagebinding',
  'svc_stages_dummy.dummystage',
  'svc_stages_deny.denystage',
  'svc_stages_prompt.prompt',
  'svc_stages_prompt.promptstage',
  'svc_policies_expression.expressionpolicy',
  'svc_policies.policybinding',
  'svc_policies.policy',
  'svc_flows.stage',
);

describeOnBoth('delegates', (server) => {
  let delegate: Api;
  beforeAll(async () => {
    delegate = (await server().user(flowParts)).api;
  });
  const flow = (more: object = {}) => {
    const name = unique('flow');
    return { name, slug: name, title: 'A flow', designation: 'authentication', ...more };
  };
  const expression = (more: object = {}) => ({ name: unique('policy'), expression: 'return true', ...more });
  const signIn = async () => {
    const { pk } = (await server().admin.get(`/flows/instances/${signInFlow}/`)).body;
    const { results } = (await server().admin.get(`/flows/bindings/?target=${pk}`)).body;
    return { pk, bindings: results as { pk: string; stage: string }[] };
  };

  test('create, change and delete what nothing uses', async () => {
    for (const [path, body, changes] of [
      ['/policies/expression/', expression(), { expression: 'return false' }],
      ['/stages/dummy/', { name: unique('stage') }, { name: unique('stage') }],
      ['/stages/prompt/prompts/', { name: unique('prompt'), field_key: 'a', label: 'A', type: 'text' }, { label: 'B' }],
    ] as const) {
      const { status, body: object } = await delegate.post(path, body);
      expect([path, status]).toEqual([path, 201]);
      expect((await delegate.patch(`${path}${object.pk}/`, changes)).status).toBe(200);
      expect((await delegate.delete(`${path}${object.pk}/`)).status).toBe(204);
    }
  });

  test('create a flow with its stages, which cannot be opened before a superuser enables it', async () => {
    const { status, body } = await delegate.post('/flows/instances/', flow());
    expect([status, body.enabled]).toEqual([201, false]);
    const stage = (await delegate.post('/stages/dummy/', { name: unique('stage') })).body;
    const binding = await delegate.post('/flows/bindings/', { target: body.pk, stage: stage.pk, order: 0 });
    expect(binding.status).toBe(201);
    expect((await delegate.patch(`/flows/bindings/${binding.body.pk}/`, { order: 5 })).status).toBe(200);
    expect((await openBrowser(server()).show(body.slug)).status).toBe(404);
    const path = `/flows/instances/${body.slug}/`;
    const refused = await delegate.patch(path, { enabled: true });
    expect([refused.status, refused.body.detail]).toEqual([
      403,
      'Users sign in through a flow that is enabled: only superusers may enable one. Leave out “enabled”, or send false.',
    ]);
    expect((await server().admin.patch(path, { enabled: true })).status).toBe(200);
    expect((await openBrowser(server()).show(body.slug)).status).toBe(200);
    for (const [method, target, changes] of [
      ['PATCH', path, { title: 'Another' }],
      ['PATCH', path, { enabled: false }],
      ['DELETE', path, undefined],
      ['DELETE', `/flows/bindings/${binding.body.pk}/`, undefined],
      ['PATCH', `/stages/dummy/${stage.pk}/`, { name: unique('stage') }],
      ['DELETE', `/stages/all/${stage.pk}/`, undefined],
      ['POST', '/flows/bindings/', { target: body.pk, stage: stage.pk, order: 9 }],
    ] as const)
      expect([method, target, (await delegate.send(method, target, changes)).status]).toEqual([method, target, 403]);
  });

  test('are refused a flow and a source that are enabled, and told why', async () => {
    const sources = (await server().user(rightsOn('svc_sources_mediasrc.mediasrcsource'))).api;
    for (const [api, path, body] of [
      [delegate, '/flows/instances/', flow({ enabled: true })],
      [sources, '/sources/mediasrc/', { name: 'media', slug: unique('media'), plex_token: 'x', enabled: true }],
    ] as const) {
      const { status, body: answer } = await api.post(path, body);
      expect([status, answer.detail]).toEqual([403, expect.stringContaining('only superusers may enable one')]);
    }
  });

  test('take no name that Gatehouse gives to what it ships', async () => {
    const { status, body } = await delegate.post('/stages/dummy/', { name: 'default-recovery-email' });
    expect([status, Object.keys(body)]).toEqual([400, ['name']]);
    const { pk } = (await delegate.post('/stages/dummy/', { name: unique('stage') })).body;
    expect((await delegate.patch(`/stages/dummy/${pk}/`, { name: 'default-recovery-email' })).status).toBe(400);
  });

  test('write a disabled source, and no enabled one', async () => {
    const { api } = await server().user(rightsOn('svc_sources_mediasrc.mediasrcsource'));
    const slug = unique('media');
    const created = await api.post('/sources/mediasrc/', { name: 'media', slug, plex_token: 'x' });
    expect([created.status, created.body.enabled]).toEqual([201, false]);
    const path = `/sources/mediasrc/${slug}/`;
    expect((await api.put(path, { name: 'other', slug, plex_token: 'y' })).status).toBe(200);
    expect((await api.patch(path, { enabled: true })).status).toBe(403);
    await server().admin.patch(path, { enabled: true });
    const refused = await api.patch(path, { name: 'mine' });
    expect([refused.status, refused.body.detail]).toEqual([
      403,
      'Users sign in through this mediasrc source. Only superusers may change or delete it.',
    ]);
  });

  test('are told which flow uses a policy, a stage or a prompt', async () => {
    const { bindings } = await signIn();
    const policy = (await delegate.post('/policies/expression/', expression())).body;
    const path = `/policies/expression/${policy.pk}/`;
    const bind = { policy: policy.pk, target: bindings[0]?.pk, order: 0, enabled: false };
    expect((await delegate.post('/policies/bindings/', bind)).status).toBe(403);
    const { pk } = await made(server(), '/policies/bindings/', bind);
    const refused = await delegate.patch(path, { expression: 'return false' });
    expect([refused.status, refused.body.detail]).toEqual([
      403,
      `This expression policy is bound to the flow ${signInFlow}, through which users sign in. Only superusers may change it.`,
    ]);
    expect((await delegate.delete(`/policies/bindings/${pk}/`)).status).toBe(403);
    await server().admin.delete(`/policies/bindings/${pk}/`);
    expect((await delegate.patch(path, { expression: 'return false' })).status).toBe(200);
  });

  test('are refused a prompt and a validation policy of a stage in a flow that is enabled', async () => {
    const prompt = (
      await delegate.post('/stages/prompt/prompts/', { name: unique('p'), field_key: 'a', label: 'A', type: 'text' })
    ).body;
    const policy = (await delegate.post('/policies/expression/', expression())).body;
    const stage = (
      await delegate.post('/stages/prompt/stages/', {
        name: unique('stage'),
        fields: [prompt.pk],
        validation_policies: [policy.pk],
      })
    ).body;
    const writes = async () => [
      (await delegate.patch(`/stages/prompt/prompts/${prompt.pk}/`, { label: 'B' })).status,
      (await delegate.patch(`/policies/expression/${policy.pk}/`, { expression: 'return 1' })).status,
      (await delegate.patch(`/stages/prompt/stages/${stage.pk}/`, { name: unique('stage') })).status,
    ];
    expect(await writes()).toEqual([200, 200, 200]);
    const enabled = await made(server(), '/flows/instances/', flow());
    await made(server(), '/flows/bindings/', { target: enabled.pk, stage: stage.pk, order: 0 });
    expect(await writes()).toEqual([403, 403, 403]);
    expect((await delegate.delete(`/stages/prompt/prompts/${prompt.pk}/`)).status).toBe(403);
  });

  test('change policies of the applications that they may change, and of no others', async () => {
    const [mine, other] = [unique('app'), unique('app')];
    const applications = await Promise.all(
      [mine, other].map((slug) => made(server(), '/core/applications/', { name: slug, slug })),
    );
    const { api, pk: user } = await server().user([
      ...rightsOn('svc_policies_expression.expressionpolicy', 'svc_policies.policybinding'),
      'svc_core.view_application',
    ]);
    await server().admin.post(`/rbac/permissions/assigned_by_users/${user}/assign/`, {
      permissions: ['change_application'],
      model: 'svc_core.application',
      object_pk: applications[0]?.pk,
    });
    const policy = (await api.post('/policies/expression/', expression())).body;
    const path = `/policies/expression/${policy.pk}/`;
    const bind = (target: unknown) => ({ policy: policy.pk, target, order: 0 });
    expect((await api.post('/policies/bindings/', bind(applications[0]?.pk))).status).toBe(201);
    expect((await api.patch(path, { expression: 'return false' })).status).toBe(200);
    await made(server(), '/policies/bindings/', bind(applications[1]?.pk));
    const refused = await api.patch(path, { expression: 'return true' });
    expect([refused.status, refused.body]).toEqual([
      403,
      {
        detail: `This expression policy is bound to the application ${other}. Changing it also takes the permission svc_core.change_application on that.`,
        code: 'permission_denied',
        required: 'svc_core.change_application',
      },
    ]);
  });

  test('are not told of objects that they may not see', async () => {
    const hidden = unique('hidden');
    const application = await made(server(), '/core/applications/', { name: hidden, slug: hidden });
    const policy = await made(server(), '/policies/expression/', expression());
    await made(server(), '/policies/bindings/', { policy: policy.pk, target: application.pk, order: 0 });
    const { api } = await server().user(rightsOn('svc_policies_expression.expressionpolicy'));
    const { status, text } = await api.patch(`/policies/expression/${policy.pk}/`, { expression: 'return 1' });
    expect([status, text]).toEqual([403, expect.stringContaining('an object that you may not see')]);
    expect(text).not.toContain(hidden);
    expect(text).not.toContain('application');
    const binder = await server().user(['svc_policies.add_policybinding', 'svc_policies.view_policy']);
    const bound = await binder.api.post('/policies/bindings/', { policy: policy.pk, target: application.pk, order: 1 });
    expect([bound.status, bound.body]).toEqual([
      403,
      {
        detail:
          'This belongs to an object that you may not see. It takes permissions to view and to change that object.',
        code: 'permission_denied',
      },
    ]);
  });

  test('change no policy that a superuser binds at the same time', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { bindings } = await signIn();
      const policy = (await delegate.post('/policies/expression/', expression())).body;
      const path = `/policies/expression/${policy.pk}/`;
      const order: string[] = [];
      const [changed, bound] = await Promise.all([
        delegate.patch(path, { expression: 'return "changed"' }).finally(() => order.push('changed')),
        server()
          .admin.post('/policies/bindings/', { policy: policy.pk, target: bindings[0]?.pk, order: 50, enabled: false })
          .finally(() => order.push('bound')),
      ]);
      expect(bound.status).toBe(201);
      const stored = (await server().admin.get(path)).body.expression;
      expect(stored).toBe(changed.status === 200 ? 'return "changed"' : 'return true');
      expect((await delegate.patch(path, { expression: 'return "later"' })).status).toBe(403);
      await server().admin.delete(`/policies/bindings/${bound.body.pk}/`);
    }
  });

  test('read on pages why they may not change an object', async () => {
    const { pk, bindings } = await signIn();
    const { status, body } = await delegate.get(`/admin/objects/?keys=svc_flows.flow:${pk}`);
    expect(status).toBe(200);
    expect(body).toMatchObject([
      { may: [], why: 'Users sign in through this flow. Only superusers may change or delete it.' },
    ]);
    const stage = bindings[0]?.stage;
    const shown = (await delegate.get(`/admin/objects/?keys=svc_flows.stage:${stage}`)).body[0];
    expect(shown.may).toEqual([]);
    const unused = (await delegate.post('/stages/dummy/', { name: unique('stage') })).body;
    const [free] = (await delegate.get(`/admin/objects/?keys=svc_stages_dummy.dummystage:${unused.pk}`)).body;
    expect([free.may, free.why]).toEqual([['change', 'delete'], undefined]);
  });

  test('may add what they hold the permission for, as the interface says', async () => {
    const { resources } = (await delegate.get('/admin/interface/')).body;
    const mayOf = (path: string) => resources.find((one: { path: string }) => one.path === path)?.may;
    expect(mayOf('/flows/instances/')).toEqual({ view: 'all', add: 'all', change: 'all', delete: 'all' });
    expect(mayOf('/policies/expression/').add).toBe('all');
  });
});
