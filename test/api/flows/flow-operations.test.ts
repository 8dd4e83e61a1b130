import { expect, test } from 'vitest';
import { eventsDuring } from '../../support/events.ts';

import { openBrowser } from '../../support/flow-client.ts';
import { bindExpression, makePrompt, makeWalk, unique } from '../../support/make-walk.ts';
import { describeOnBoth } from '../../support/server.ts';
import { signIn } from '../../support/session.ts';

describeOnBoth('operations on flows', (server) => {
  const path = (slug: string, action: string) => `/flows/instances/${slug}/${action}/`;

  test('execute tells where a flow begins, to those whom it is for', async () => {
    const open = await makeWalk(server(), [['dummy']]);
    const answer = await server().admin.get(path(open.slug, 'execute'));
    expect(answer.status).toBe(200);
    expect(new URL(answer.body.link).pathname).toBe(`/if/flow/${open.slug}/`);
    const closed = await makeWalk(server(), [['dummy']], { authentication: 'require_unauthenticated' });
    const refused = await server().admin.get(path(closed.slug, 'execute'));
    expect(refused.status).toBe(400);
    expect(refused.body.non_field_errors[0]).toContain('not applicable');
    const guarded = await makeWalk(server(), [['dummy']]);
    await bindExpression(server(), guarded.pk, 'message("Come back tomorrow."); return false');
    expect((await server().admin.get(path(guarded.slug, 'execute'))).body.non_field_errors[0]).toContain(
      'Come back tomorrow.',
    );
  });

  test('a diagram names stages and policies, and escapes what names are made of', async () => {
    const name = `"]; click x href "javascript:alert(1)" <b>#quot; ${unique('n')}`;
    const walk = await makeWalk(server(), [['dummy', { name }], ['deny']], { name: 'A "flow"' });
    await bindExpression(server(), walk.pk, 'return true');
    await bindExpression(server(), walk.bindings[1]?.target as string, 'return true');
    const { diagram } = (await server().admin.get(path(walk.slug, 'diagram'))).body;
    expect(diagram).toMatch(/^graph TD\n/);
    expect(diagram).toContain('"Flow<br>A #34;flow#34;"');
    expect(diagram).not.toContain('click x href "');
    expect(diagram).not.toContain('<b>');
    expect(diagram).toContain('start_policies -- fails --> denied');
    expect(diagram).toContain('stage_0 --> stage_1_policies');
    expect(diagram).toContain('stage_1_policies -- fails --> done');
    for (const line of diagram.split('\n').slice(1)) expect(line).toMatch(/^ {2}[\w ]+(\W|$)/);
  });

  test('a diagram shows no user names that they may not see', async () => {
    const name = unique('secret-stage');
    const walk = await makeWalk(server(), [['dummy', { name }]]);
    await bindExpression(server(), walk.pk, 'return true');
    const viewer = await server().user(['svc_flows.view_flow']);
    const { diagram } = (await viewer.api.get(path(walk.slug, 'diagram'))).body;
    expect(diagram).toContain('Stage<br>hidden');
    expect(diagram).toContain('Policy<br>hidden');
    expect(diagram).not.toContain(name);
    const insider = await server().user(['svc_flows.view_flow', 'svc_stages_dummy.view_dummystage']);
    expect((await insider.api.get(path(walk.slug, 'diagram'))).body.diagram).toContain(name);
  });

  test('the caches are counted and cleared by those who may, and clearing is recorded', async () => {
    const walk = await makeWalk(server(), [['dummy']]);
    for (const [base, app, noun] of [
      ['/flows/instances', 'svc_flows', 'flow'],
      ['/policies/all', 'svc_policies', 'policy'],
    ]) {
      const nobody = await server().user();
      expect((await nobody.api.get(`${base}/cache_info/`)).status).toBe(403);
      expect((await nobody.api.post(`${base}/cache_clear/`)).status).toBe(403);
      const keeper = await server().user([`${app}.view_${noun}_cache`, `${app}.clear_${noun}_cache`]);
      // Whatever a job writes meanwhile may empty the cache again.
      const countAfterUse = async () => {
        await openBrowser(server()).show(walk.slug);
        return (await keeper.api.get(`${base}/cache_info/`)).body.count;
      };
      await expect.poll(countAfterUse).toBeGreaterThan(0);
      const clear = async () => expect((await keeper.api.post(`${base}/cache_clear/`)).status).toBe(204);
      const events = await eventsDuring(server(), clear);
      expect(events.map(({ action }) => action)).toEqual(['system_task_execution']);
      // The rules that the event is matched against are policies too, and fill the cache again.
      const countAfterClearing = async () => {
        await clear();
        return (await keeper.api.get(`${base}/cache_info/`)).body.count;
      };
      await expect.poll(countAfterClearing).toBe(0);
    }
  });

  test('the inspector shows those who may their own walk, and no secrets', async () => {
    const prompt = await makePrompt(server(), 'pet_name', 'password');
    const walk = await makeWalk(server(), [['prompt/stages', { fields: [prompt] }], ['dummy']]);
    const inspector = `/flows/inspector/${walk.slug}/`;
    const admin = await server().admin.get('/core/users/me/');
    const session = await signIn(server(), admin.body.user.pk);
    const browser = openBrowser(server());
    browser.cookies.set('gatehouse_session', session.cookie.split('=')[1] as string);
    browser.cookies.set('gatehouse_csrf', session.csrf);
    expect((await browser.get(inspector)).status).toBe(400);
    await browser.show(walk.slug);
    await browser.answer(walk.slug, { component: 'xak-stage-prompt', pet_name: 'rex-the-secret' });
    const answer = await browser.get(inspector);
    expect(answer.status).toBe(200);
    expect(answer.text).not.toContain('rex-the-secret');
    expect(answer.body.plans).toHaveLength(2);
    expect(answer.body.current_plan).toMatchObject({
      current_stage: { pk: walk.bindings[1]?.pk, stage: walk.stages[1] },
      next_planned_stage: null,
      plan_context: { pending_user: { username: 'admin' }, prompt_data: { pet_name: '********************' } },
    });
    expect(answer.body.plans[0].current_stage.pk).toBe(walk.bindings[0]?.pk);

    const stranger = await server().user(['svc_flows.view_flow']);
    const token = browser.cookies.get('gatehouse_flow_plan');
    const cookie = { cookie: `gatehouse_flow_plan=${token}` };
    expect((await stranger.api.get(inspector, cookie)).status).toBe(403);
    expect((await server().nobody.get(inspector, cookie)).status).toBe(403);
    const other = await server().user(['svc_flows.inspect_flow']);
    expect((await other.api.get(inspector, cookie)).status).toBe(400);
    expect((await other.api.get('/flows/inspector/no-such-flow/')).status).toBe(404);
    expect((await stranger.api.get('/flows/inspector/no-such-flow/')).status).toBe(403);
  });

  test('the inspector shows users whose name was typed only to those who may see them', async () => {
    const victim = await server().user([], { email: 'typed@example.com' });
    const walk = await makeWalk(server(), [['identification', { user_fields: ['username'] }], ['dummy']]);
    const inspectorOf = async (rights: string[]) => {
      const { pk } = await server().user(['svc_flows.inspect_flow', ...rights]);
      const { cookie, csrf } = await signIn(server(), pk);
      const browser = openBrowser(server());
      browser.cookies.set('gatehouse_session', cookie.split('=')[1] as string);
      browser.cookies.set('gatehouse_csrf', csrf);
      await browser.show(walk.slug);
      await browser.answer(walk.slug, { uid_field: victim.username });
      const { plan_context } = (await browser.get(`/flows/inspector/${walk.slug}/`)).body.current_plan;
      return plan_context.pending_user;
    };
    expect(await inspectorOf([])).toBeNull();
    expect(await inspectorOf(['svc_core.view_user'])).toMatchObject({ email: 'typed@example.com' });
  });

  test('the right to inspect one flow opens no other', async () => {
    const [one, other] = [await makeWalk(server(), [['dummy']]), await makeWalk(server(), [['dummy']])];
    const user = await server().user(['svc_flows.view_flow']);
    const assigned = await server().admin.post(`/rbac/permissions/assigned_by_users/${user.pk}/assign/`, {
      permissions: ['svc_flows.inspect_flow'],
      model: 'svc_flows.flow',
      object_pk: one.pk,
    });
    expect(assigned.status).toBe(200);
    expect((await user.api.get(`/flows/inspector/${one.slug}/`)).status).toBe(400);
    expect((await user.api.get(`/flows/inspector/${other.slug}/`)).status).toBe(403);
  });
});
