import { expect, test } from 'vitest';
import type { Answer, Api } from '../support/api.ts';
import { openBrowser, signInFlow } from '../support/flow-client.ts';
import { bindExpression, made, makeWalk, unique } from '../support/make-walk.ts';
import { describeOnBoth } from '../support/server.ts';

// Whoever may edit a part of a flow, and holds nothing else, took the password out of it and signed in as a superuser.
describeOnBoth('privilege escalation: an editor of flows cannot sign in as another user', (server) => {
  const bindingsOf = async (slug: string) => {
    const flow = (await server().admin.get(`/flows/instances/${slug}/`)).body;
    const { results } = (await server().admin.get(`/flows/bindings/?target=${flow.pk}&ordering=order`)).body;
    return { flow, bindings: results as { pk: string; stage: string; stage_obj: { component: string } }[] };
  };
  const passwordBinding = async () => {
    const { flow, bindings } = await bindingsOf(signInFlow);
    return {
      flow,
      binding: bindings.find(({ stage_obj }) => stage_obj.component.includes('password')) as { pk: string },
      login: bindings.find(({ stage_obj }) => stage_obj.component.includes('login')) as { pk: string; stage: string },
    };
  };

  /** By the one right that it takes: what to try. */
  const attacks: Record<string, (api: Api) => Promise<Answer>> = {
    'svc_flows.delete_flowstagebinding': async (api) =>
      api.delete(`/flows/bindings/${(await passwordBinding()).binding.pk}/`),
    'svc_flows.change_flowstagebinding': async (api) =>
      api.patch(`/flows/bindings/${(await passwordBinding()).binding.pk}/`, { order: 1000 }),
    'svc_flows.add_flowstagebinding': async (api) => {
      const { flow, login } = await passwordBinding();
      return api.post('/flows/bindings/', { target: flow.pk, stage: login.stage, order: 11 });
    },
    'svc_flows.change_flow': (api) => api.patch(`/flows/instances/${signInFlow}/`, { designation: 'enrollment' }),
    'svc_flows.delete_flow': (api) => api.delete(`/flows/instances/${signInFlow}/`),
    'svc_policies_expression.change_expressionpolicy': async (api) => {
      const { results } = (await server().admin.get('/policies/expression/')).body;
      return api.patch(`/policies/expression/${results[0].pk}/`, { expression: 'return false' });
    },
    'svc_policies.change_policybinding': async (api) => {
      const { results } = (await server().admin.get('/policies/bindings/')).body;
      return api.patch(`/policies/bindings/${results[0].pk}/`, { negate: true });
    },
    'svc_policies.add_policybinding': async (api) => {
      const policy = await made(server(), '/policies/expression/', { name: unique('p'), expression: 'return false' });
      const body = { policy: policy.pk, target: (await passwordBinding()).binding.pk, order: 0 };
      return api.post('/policies/bindings/', body);
    },
    'svc_policies.delete_policybinding': async (api) => {
      const { results } = (await server().admin.get('/policies/bindings/')).body;
      return api.delete(`/policies/bindings/${results[0].pk}/`);
    },
    'svc_brands.change_brand': async (api) => {
      const open = await makeWalk(server(), [['identification', { user_fields: ['username'] }], ['user_login']]);
      const brand = (await server().admin.get('/core/brands/')).body.results[0].brand_uuid;
      return api.patch(`/core/brands/${brand}/`, { flow_authentication: open.pk });
    },
    'svc_stages_prompt.change_prompt': async (api) => {
      const { results } = (await server().admin.get('/stages/prompt/prompts/')).body;
      return api.patch(`/stages/prompt/prompts/${results[0].pk}/`, { field_key: 'is_superuser' });
    },
  };

  test.each(Object.entries(attacks))('%s alone does not allow changes to the sign-in flow', async (right, attack) => {
    const [app, codename = ''] = right.split('.');
    const view = `${app}.${codename.replace(/^[a-z]+/, 'view')}`;
    const delegate = await server().user([right, view]);
    expect((await attack(delegate.api)).status).toBe(403);
    const browser = openBrowser(server());
    await browser.show(signInFlow);
    const { body } = await browser.answer(signInFlow, { uid_field: 'admin' });
    expect(body.component).toBe('xak-stage-password');
  });

  const bindingRights = ['add', 'change', 'delete', 'view'].map((verb) => `svc_policies.${verb}_policybinding`);

  test('a policy binding is moved only with the permission to change its old and its new target', async () => {
    const application = async () => made(server(), '/core/applications/', { name: unique('a'), slug: unique('a') });
    const [mine, others] = [await application(), await application()];
    const group = await made(server(), '/core/groups/', { name: unique('g') });
    const delegate = await server().user([...bindingRights, 'svc_core.view_group']);
    const bind = (target: string) => delegate.api.post('/policies/bindings/', { group: group.pk, target, order: 0 });
    expect((await bind(mine.pk)).status).toBe(403);
    await server().admin.post(`/rbac/permissions/assigned_by_users/${delegate.pk}/assign/`, {
      permissions: ['change_application'],
      model: 'svc_core.application',
      object_pk: mine.pk,
    });
    const bound = await bind(mine.pk);
    expect([bound.status, (await bind(others.pk)).status]).toEqual([201, 403]);
    const path = `/policies/bindings/${bound.body.pk}/`;
    expect((await delegate.api.patch(path, { target: others.pk })).status).toBe(403);
    const foreign = await made(server(), '/policies/bindings/', { group: group.pk, target: others.pk, order: 0 });
    expect((await delegate.api.patch(`/policies/bindings/${foreign.pk}/`, { target: mine.pk })).status).toBe(403);
    expect((await delegate.api.delete(`/policies/bindings/${foreign.pk}/`)).status).toBe(403);
    expect((await delegate.api.delete(path)).status).toBe(204);
  });

  test('a group cannot be deleted to remove a binding that names it', async () => {
    const walk = await makeWalk(server(), [['dummy']]);
    const { policybindingmodel_ptr_id: target } = (await server().admin.get(`/flows/instances/${walk.slug}/`)).body;
    const group = await made(server(), '/core/groups/', { name: unique('few') });
    await made(server(), '/policies/bindings/', { group: group.pk, target, order: 0 });
    const delegate = await server().user(['svc_core.delete_group', 'svc_core.view_group']);
    expect((await delegate.api.delete(`/core/groups/${group.pk}/`)).status).toBe(403);
    expect((await server().admin.delete(`/core/groups/${group.pk}/`)).status).toBe(204);
  });

  test('the permission to change one policy does not allow changing what it decides', async () => {
    const walk = await makeWalk(server(), [['deny'], ['user_login']]);
    await bindExpression(server(), walk.bindings[0]?.target ?? '', 'return true');
    const { results } = (await server().admin.get('/policies/expression/?ordering=-created')).body;
    const delegate = await server().user(['svc_policies_expression.view_expressionpolicy']);
    await server().admin.post(`/rbac/permissions/assigned_by_users/${delegate.pk}/assign/`, {
      permissions: ['change_expressionpolicy'],
      model: 'svc_policies_expression.expressionpolicy',
      object_pk: results[0].pk,
    });
    const answer = await delegate.api.patch(`/policies/expression/${results[0].pk}/`, { expression: 'return false' });
    expect([answer.status, answer.body.detail]).toEqual([
      403,
      'This expression policy is in use where users sign in. Only superusers may change it.',
    ]);
  });
});
