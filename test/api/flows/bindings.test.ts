import { beforeAll, expect, test } from 'vitest';
import { eventsAbout } from '../../support/events.ts';
import { describeOnBoth } from '../../support/server.ts';

const path = '/flows/bindings/';

describeOnBoth('stages bound to flows', (server) => {
  let flow: { pk: string; slug: string };
  let stage: { pk: string };
  let order = 0;
  const make = async (more = {}) => {
    order += 1;
    const { status, body } = await server().admin.post(path, { target: flow.pk, stage: stage.pk, order, ...more });
    expect(status).toBe(201);
    return body;
  };

  beforeAll(async () => {
    const values = { name: 'f', slug: 'bound', title: 'F', designation: 'enrollment' };
    flow = (await server().admin.post('/flows/instances/', values)).body;
    stage = (await server().admin.post('/stages/invitation/stages/', { name: 'bound-stage' })).body;
  });

  test('a binding shows its stage with the flows it is part of', async () => {
    const made = await make();
    expect(made).toMatchObject({
      target: flow.pk,
      stage: stage.pk,
      evaluate_on_plan: false,
      re_evaluate_policies: true,
      policy_engine_mode: 'any',
      invalid_response_action: 'retry',
      stage_obj: {
        pk: stage.pk,
        name: 'bound-stage',
        component: 'xak-stage-invitation-form',
        verbose_name: 'Invitation Stage',
        verbose_name_plural: 'Invitation Stages',
        meta_model_name: 'svc_stages_invitation.invitationstage',
      },
    });
    expect(made.stage_obj.flow_set.map(({ slug }: { slug: string }) => slug)).toEqual(['bound']);
    expect(made.stage_obj.flow_set[0]).not.toHaveProperty('stages');
    expect((await eventsAbout(server(), made.pk)).map(({ action }) => action)).toEqual(['model_created']);
  });

  test('a binding that never evaluates its policies is refused', async () => {
    const never = { evaluate_on_plan: false, re_evaluate_policies: false };
    const complaint = { non_field_errors: ['Either evaluation on plan or evaluation on run must be enabled'] };
    const refused = await server().admin.post(path, { target: flow.pk, stage: stage.pk, order: 900, ...never });
    expect([refused.status, refused.body]).toEqual([400, complaint]);
    const made = await make();
    expect((await server().admin.patch(`${path}${made.pk}/`, { re_evaluate_policies: false })).body).toEqual(complaint);
    const onPlan = { evaluate_on_plan: true, re_evaluate_policies: false };
    expect((await server().admin.patch(`${path}${made.pk}/`, onPlan)).body).toMatchObject(onPlan);
  });

  test('a stage is bound only once at the same order of a flow', async () => {
    const made = await make();
    const again = await server().admin.post(path, { target: flow.pk, stage: stage.pk, order: made.order });
    expect(again.status).toBe(400);
    expect(again.body).toEqual({ non_field_errors: ['The fields target, stage, order must make a unique set.'] });
  });

  test('references and numbers are checked', async () => {
    const missing = '22222222-2222-2222-2222-222222222222';
    const { status, body } = await server().admin.post(path, { target: missing, stage: 'x', order: 1.5 });
    expect(status).toBe(400);
    expect(body).toEqual({
      target: [`Invalid pk "${missing}" - object does not exist.`],
      stage: ['“x” is not a valid UUID.'],
      order: ['A valid integer is required.'],
    });
  });

  test('bindings are narrowed by every filter', async () => {
    const made = await make({ order: 777, invalid_response_action: 'restart', evaluate_on_plan: true });
    const policy = (await server().admin.post('/policies/password_expiry/', { name: 'on a binding', days: 1 })).body;
    const bound = await server().admin.post('/policies/bindings/', { target: made.pk, policy: policy.pk, order: 0 });
    expect(bound.status).toBe(201);
    const found = async (query: string) => {
      const { status, body } = await server().admin.get(`${path}?${query}`);
      expect([query, status]).toEqual([query, 200]);
      return body.results.map(({ pk }: { pk: string }) => pk);
    };
    expect(await found('order=777')).toEqual([made.pk]);
    expect(await found(`fsb_uuid=${made.pk}`)).toEqual([made.pk]);
    expect(await found(`pbm_uuid=${made.policybindingmodel_ptr_id}`)).toEqual([made.pk]);
    expect(await found(`policies=${policy.pk}`)).toEqual([made.pk]);
    expect(await found('invalid_response_action=restart')).toEqual([made.pk]);
    expect(await found(`stage=${stage.pk}&target=${flow.pk}&evaluate_on_plan=true&order=777`)).toEqual([made.pk]);
    expect(await found('search=bound-stage&order=777')).toEqual([made.pk]);
    const unknown = '33333333-3333-3333-3333-333333333333';
    expect((await server().admin.get(`${path}?policies=${policy.pk}&policies=${unknown}`)).body).toEqual({
      policies: [`Select a valid choice. ${unknown} is not one of the available choices.`],
    });
    expect((await server().admin.get(`${path}?pbm_uuid=x`)).body).toEqual({ pbm_uuid: ['Enter a valid UUID.'] });
  });

  test('bindings are called by what they bind, wherever pages name them and in events', async () => {
    const { admin } = server();
    const made = await make({ order: 555 });
    const group = (await admin.post('/core/groups/', { name: 'Staff of bindings' })).body;
    const bound = (await admin.post('/policies/bindings/', { target: made.pk, group: group.pk, order: 3 })).body;
    const [ofStage, ofGroup] = ['bound › bound-stage (555)', 'bound › bound-stage (555) › Staff of bindings (3)'];
    const keys = `keys=svc_flows.flowstagebinding:${made.pk}&keys=svc_policies.policybinding:${bound.pk}`;
    const named = (await admin.get(`/admin/objects/?${keys}`)).body;
    expect(named.map(({ name }: { name: string }) => name)).toEqual([ofStage, ofGroup]);
    const uses = (await admin.get(`/core/groups/${group.pk}/used_by/`)).body;
    expect(uses.map(({ name }: { name: string }) => name)).toEqual([ofGroup]);
    await admin.patch(`${path}${made.pk}/`, { order: 556 });
    await admin.delete(`/policies/bindings/${bound.pk}/`);
    const namesIn = async (pk: string) => (await eventsAbout(server(), pk)).map(({ context }) => context.model.name);
    expect(await namesIn(made.pk)).toEqual([ofStage, 'bound › bound-stage (556)']);
    expect(await namesIn(bound.pk)).toEqual([ofGroup, ofGroup.replace('555', '556')]);
    expect(made).not.toHaveProperty('named');
  });

  test('bindings require their own permissions', async () => {
    const made = await make();
    const viewer = await server().user(['svc_flows.view_flowstagebinding']);
    expect((await viewer.api.get(`${path}${made.pk}/`)).status).toBe(200);
    expect((await viewer.api.delete(`${path}${made.pk}/`)).status).toBe(403);
    const stranger = await server().user(['svc_flows.view_flow']);
    expect((await stranger.api.get(path)).status).toBe(403);
  });
});
