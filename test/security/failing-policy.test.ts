import { expect, test } from 'vitest';
import { openBrowser } from '../support/flow-client.ts';
import { bindExpression, makeWalk } from '../support/make-walk.ts';
import { describeOnSqlite } from '../support/server.ts';

describeOnSqlite('a policy that fails', (server) => {
  const broken = 'throw new Error("inner words")';

  test('prevents its flow from starting', async () => {
    const walk = await makeWalk(server(), [['dummy']]);
    const flow = (await server().admin.get(`/flows/instances/${walk.slug}/`)).body;
    await bindExpression(server(), flow.policybindingmodel_ptr_id, broken);
    const answer = await openBrowser(server()).show(walk.slug);
    expect(answer.body.component).toBe('xak-stage-access-denied');
    expect(answer.text).not.toContain('inner words');
  });

  test.each([
    ['at run', {}],
    ['at plan', { evaluate_on_plan: true, re_evaluate_policies: false }],
  ])('ends the walk at its step, neither skipping nor taking it, when it fails %s', async (_, binding) => {
    const walk = await makeWalk(server(), [
      ['dummy', {}, binding],
      ['deny', { deny_message: 'reached' }],
    ]);
    await bindExpression(server(), walk.bindings[0]?.target as string, broken);
    const browser = openBrowser(server());
    const answer = await browser.show(walk.slug);
    expect(answer.body.component).toBe('xak-stage-access-denied');
    expect(answer.body.error_message).not.toBe('reached');
    const answered = await browser.answer(walk.slug, { component: 'xak-stage-dummy' });
    expect(answered.body.error_message).not.toBe('reached');
    expect(answer.text).not.toContain('inner words');
  });

  test('ends the walk for unknown user names as well', async () => {
    const walk = await makeWalk(server(), [['dummy']]);
    const browser = openBrowser(server(), { 'x-forwarded-for': 'a' });
    expect((await browser.show(walk.slug)).body.component).toBe('xak-stage-dummy');
  });
});
