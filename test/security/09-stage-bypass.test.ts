import { expect, test } from 'vitest';
import { openBrowser } from '../support/flow-client.ts';
import { makePrompt, makeWalk } from '../support/make-walk.ts';
import { describeOnBoth } from '../support/server.ts';

const backends = ['svc.core.auth.InbuiltBackend'];
const bodies: Record<string, unknown>[] = [
  {},
  { component: '' },
  { component: null },
  { component: 'xak-flow-redirect', to: '/if/user/' },
  { component: 'xak-stage-user-login', remember_me: true },
  { component: 'xak-stage-access-denied' },
  { component: 'xak-stage-invitation' },
  { at: 99, stages: [], context: { pending_user: 1 } },
  { constructor: 'x', toString: 'x' },
];

describeOnBoth('class 9: steps that are skipped by an empty answer or one for another step', (server) => {
  const kinds = async () =>
    [
      ['identification', { user_fields: ['username'] }],
      ['password', { backends }],
      ['prompt/stages', { fields: [await makePrompt(server(), 'word', 'text', { required: false })] }],
      ['consent', {}],
      ['dummy', {}],
    ] as const;

  test('every stage stays where it is', async () => {
    for (const [kind, values] of await kinds()) {
      const walk = await makeWalk(server(), [
        [kind, values],
        ['deny', { deny_message: 'passed' }],
      ]);
      const browser = openBrowser(server());
      const { component } = (await browser.show(walk.slug)).body;
      for (const body of bodies) {
        const answer = await browser.answer(walk.slug, body);
        expect(answer.status, kind).toBe(200);
        expect([kind, body, answer.body.component]).toEqual([kind, body, component]);
      }
      for (const body of ['[]', '"x"', '1']) {
        const cookie = `gatehouse_flow_plan=${browser.cookies.get('gatehouse_flow_plan')}`;
        const headers = { cookie, 'content-type': 'application/json' };
        const answer = await server().nobody.send('POST', `/flows/executor/${walk.slug}/`, body, headers);
        expect(answer.status).toBe(400);
      }
      expect((await browser.show(walk.slug)).body.component).toBe(component);
    }
  });

  test('the walk of one flow answers nothing in another', async () => {
    const first = await makeWalk(server(), [
      ['identification', { user_fields: ['username'] }],
      ['password', { backends }],
    ]);
    const second = await makeWalk(server(), [['password', { backends }], ['user_login']]);
    const browser = openBrowser(server());
    await browser.show(first.slug);
    await browser.answer(first.slug, { uid_field: 'admin' });
    const other = await browser.answer(second.slug, { component: 'xak-stage-password', password: 'x' });
    expect(other.body).toMatchObject({ component: 'xak-stage-password', pending_user: '' });
    expect(other.body.response_errors).toBeUndefined();
  });
});
