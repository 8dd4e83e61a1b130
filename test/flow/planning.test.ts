import { expect, test } from 'vitest';
import { type Browser, openBrowser } from '../support/flow-client.ts';
import { made, makePrompt, makeWalk, unique } from '../support/make-walk.ts';
import { describeOnSqlite, type TestUser } from '../support/server.ts';
import { signIn } from '../support/session.ts';

const dummyAnswer = { component: 'xak-stage-dummy' };
const denied = 'xak-stage-access-denied';

describeOnSqlite('planning a walk', (server) => {
  const policyOn = async (target: string, expression: string) => {
    const policy = await made(server(), '/policies/expression/', { name: unique('policy'), expression });
    await made(server(), '/policies/bindings/', { target, policy: policy.pk, order: 0 });
    return (changed: string) => server().admin.patch(`/policies/expression/${policy.pk}/`, { expression: changed });
  };
  const signedIn = async (user: Pick<TestUser, 'pk'>): Promise<Browser> => {
    const { cookie, csrf } = await signIn(server(), user.pk);
    const browser = openBrowser(server());
    browser.cookies.set('gatehouse_session', cookie.split('=')[1] as string);
    browser.cookies.set('gatehouse_csrf', csrf);
    return browser;
  };

  // Whether the step is taken when its policy says one thing at the plan and another when a user comes to it.
  test.each([
    [{ evaluate_on_plan: true, re_evaluate_policies: false }, [true, true, false, false]],
    [{ evaluate_on_plan: false, re_evaluate_policies: true }, [true, false, true, false]],
    [{ evaluate_on_plan: true, re_evaluate_policies: true }, [true, false, false, false]],
  ])('the policies of a step are evaluated as %j says', async (binding, expected) => {
    const taken: boolean[] = [];
    for (const [atPlan, atRun] of [
      [true, true],
      [true, false],
      [false, true],
      [false, false],
    ]) {
      const walk = await makeWalk(server(), [
        ['dummy'],
        ['dummy', { name: unique('second') }],
        ['deny', { deny_message: 'taken' }, binding],
        ['deny', { deny_message: 'skipped' }],
      ]);
      const change = await policyOn(walk.bindings[2]?.target as string, `return ${atPlan}`);
      const browser = openBrowser(server());
      await browser.show(walk.slug);
      await browser.answer(walk.slug, dummyAnswer);
      await change(`return ${atRun}`);
      taken.push((await browser.answer(walk.slug, dummyAnswer)).body.error_message === 'taken');
    }
    expect(taken).toEqual(expected);
  });

  test('policies see the pending user, not only its key', async () => {
    const user = await server().user();
    const walk = await makeWalk(server(), [
      ['identification', { user_fields: ['username'] }],
      ['deny', { deny_message: 'seen' }, { evaluate_on_plan: false, re_evaluate_policies: true }],
      ['deny', { deny_message: 'not seen' }],
    ]);
    const expression = 'return context.pending_user.username === user.username && context.pending_user.pk === user.pk';
    await policyOn(walk.bindings[1]?.target as string, expression);
    const browser = openBrowser(server());
    await browser.show(walk.slug);
    const { body } = await browser.answer(walk.slug, { uid_field: user.username });
    expect(body.error_message).toBe('seen');
  });

  test('a binding that is evaluated neither when planning nor at its step is refused', async () => {
    const walk = await makeWalk(server(), [['dummy']]);
    const answer = await server().admin.patch(`/flows/bindings/${walk.bindings[0]?.pk}/`, {
      evaluate_on_plan: false,
      re_evaluate_policies: false,
    });
    expect(answer.status).toBe(400);
  });

  test('policies evaluated at a step see the answers given before it', async () => {
    const prompt = await makePrompt(server(), 'colour', 'text');
    const walk = await makeWalk(server(), [
      ['prompt/stages', { fields: [prompt] }],
      ['deny', { deny_message: 'not red' }],
      ['deny', { deny_message: 'red' }],
    ]);
    await policyOn(walk.bindings[1]?.target as string, 'return context.prompt_data.colour !== "red"');
    for (const [colour, words] of [
      ['red', 'red'],
      ['blue', 'not red'],
    ]) {
      const browser = openBrowser(server());
      await browser.show(walk.slug);
      const answer = await browser.answer(walk.slug, { component: 'xak-stage-prompt', colour });
      expect(answer.body.error_message).toBe(words);
    }
  });

  test('a flow starts only for people whom its authentication setting allows', async () => {
    const user = await server().user();
    const admin = (await server().admin.get('/core/users/me/')).body.user;
    const begins = {
      none: [true, true, true],
      require_authenticated: [false, true, true],
      require_unauthenticated: [true, false, false],
      require_superuser: [false, false, true],
      // No caller can prove to be an outpost yet.
      require_outpost: [false, false, false],
    };
    for (const [authentication, expected] of Object.entries(begins)) {
      const walk = await makeWalk(server(), [['dummy']], { authentication });
      const callers = [openBrowser(server()), await signedIn(user), await signedIn(admin)];
      const found: boolean[] = [];
      for (const browser of callers) {
        const shown = (await browser.show(walk.slug)).body.component === 'xak-stage-dummy';
        // Nor by answering what was not asked.
        const answered = await browser.answer(walk.slug, dummyAnswer);
        expect(answered.body.component).toBe(shown ? 'xak-flow-redirect' : denied);
        found.push(shown);
      }
      expect([authentication, found]).toEqual([authentication, expected]);
    }
  });

  test.each([
    ['message', '/next/', { component: denied, error_message: 'No.' }, false],
    ['message_continue', '/next/', { component: denied, error_message: 'No.', to: '/next/' }, true],
    ['message_continue', '', { component: denied, error_message: 'No.' }, false],
    ['continue', '/next/', { component: 'xak-flow-redirect', to: '/next/' }, true],
    ['continue', '', { component: denied, error_message: 'No.' }, false],
    ['continue', '//evil.example/', { component: denied, error_message: 'No.' }, false],
    ['message_continue', 'javascript:alert(1)', { component: denied, error_message: 'No.' }, false],
  ])(
    'somebody who is denied by a flow with %s and next=%s gets the matching answer',
    async (denied_action, next, expected, leads) => {
      const query = next && `next=${encodeURIComponent(next)}`;
      const byStage = await makeWalk(server(), [['deny', { deny_message: 'No.' }]], { denied_action });
      const byPolicy = await makeWalk(server(), [['dummy']], { denied_action });
      await policyOn(byPolicy.pk, 'message("No."); return false');
      for (const { slug } of [byStage, byPolicy]) {
        const { body } = await openBrowser(server()).show(slug, query);
        expect(body).toMatchObject(expected);
        expect('to' in body).toBe(leads);
      }
    },
  );

  test.each([
    ['retry', 'xak-stage-password', 'kept'],
    ['restart', 'xak-stage-prompt', 'forgotten'],
    ['restart_with_context', 'xak-stage-prompt', 'kept'],
  ])(
    'a wrong answer under %s leads to %s, and what was gathered is %s',
    async (invalid_response_action, component, gathered) => {
      const prompt = await makePrompt(server(), 'colour', 'text', { required: false });
      const walk = await makeWalk(server(), [
        ['prompt/stages', { fields: [prompt] }],
        ['identification', { user_fields: ['username'] }],
        ['password', { backends: ['svc.core.auth.InbuiltBackend'] }, { invalid_response_action }],
      ]);
      const browser = openBrowser(server());
      await browser.show(walk.slug);
      await browser.answer(walk.slug, { component: 'xak-stage-prompt', colour: 'red' });
      await browser.answer(walk.slug, { uid_field: unique('nobody') });
      const wrong = await browser.answer(walk.slug, { password: 'wrong' });
      expect(wrong.body.component).toBe(component);
      expect(JSON.stringify(wrong.body.response_errors)).toContain('That password is not right.');
      if (component === 'xak-stage-prompt') {
        expect(wrong.body.fields[0].initial_value).toBe(gathered === 'kept' ? 'red' : '');
        // An answer to the step that was left is none to the one that is shown.
        const late = await browser.answer(walk.slug, { component: 'xak-stage-password', password: 'wrong' });
        expect(late.body.component).toBe('xak-stage-prompt');
      } else expect(wrong.body.pending_user).toMatch(/^nobody/);
    },
  );

  test('repeated, early and late answers change nothing', async () => {
    const prompt = await makePrompt(server(), 'colour', 'text');
    const walk = await makeWalk(server(), [['prompt/stages', { fields: [prompt] }], ['dummy'], ['consent']]);
    const user = await server().user();
    const browser = await signedIn(user);
    await browser.show(walk.slug);
    const first = { component: 'xak-stage-prompt', colour: 'red' };
    expect((await browser.answer(walk.slug, dummyAnswer)).body.component).toBe('xak-stage-prompt');
    expect((await browser.answer(walk.slug, { component: 'xak-stage-consent' })).body.component).toBe(
      'xak-stage-prompt',
    );
    expect((await browser.answer(walk.slug, first)).body.component).toBe('xak-stage-dummy');
    expect((await browser.answer(walk.slug, first)).body.component).toBe('xak-stage-dummy');
    expect((await browser.answer(walk.slug, { component: 'xak-stage-consent', token: 'x' })).body.component).toBe(
      'xak-stage-dummy',
    );
    const consent = await browser.answer(walk.slug, dummyAnswer);
    expect(consent.body.component).toBe('xak-stage-consent');
    const agreed = { component: 'xak-stage-consent', token: consent.body.token };
    expect((await browser.answer(walk.slug, agreed)).body.component).toBe('xak-flow-redirect');
    // The walk is over: the same answer finds the first question of a new one.
    expect((await browser.answer(walk.slug, agreed)).body.component).toBe('xak-stage-prompt');
  });

  test('cancelling a flow deletes all walks of this browser and of no other', async () => {
    const walk = await makeWalk(server(), [['dummy'], ['dummy', { name: unique('second') }]]);
    const [leaving, staying] = [openBrowser(server()), openBrowser(server())];
    for (const browser of [leaving, staying]) {
      await browser.show(walk.slug);
      await browser.answer(walk.slug, dummyAnswer);
    }
    const cookie = `gatehouse_flow_plan=${leaving.cookies.get('gatehouse_flow_plan')}`;
    const left = await fetch(`${server().url}/flows/-/cancel/`, { headers: { cookie }, redirect: 'manual' });
    expect(left.status).toBe(302);
    const names = async (browser: Browser) => (await browser.show(walk.slug)).body.name;
    const [first] = await Promise.all([names(leaving)]);
    expect(first).not.toMatch(/^second/);
    expect(await names(staying)).toMatch(/^second/);
  });
});
