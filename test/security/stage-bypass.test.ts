import { expect, test } from 'vitest';
import { openBrowser } from '../support/flow-client.ts';
import { makePrompt, makeWalk } from '../support/make-walk.ts';
import { describeOnSqlite } from '../support/server.ts';
import { signIn } from '../support/session.ts';

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

describeOnSqlite('skipping steps by an empty or foreign answer', (server) => {
  const kinds = async () =>
    [
      ['identification', { user_fields: ['username'] }],
      ['password', { backends }],
      ['prompt/stages', { fields: [await makePrompt(server(), 'word', 'text', { required: false })] }],
      ['consent', {}],
      ['dummy', {}],
      ['captcha', { public_key: 'public', private_key: 'private' }],
    ] as const;
  // Those that are about a user, and ask them.
  const personal = [
    ['user_login', { remember_me_offset: 'days=1' }],
    ['user_delete', {}],
    ['authenticator/totp', { digits: 6 }],
    ['authenticator/static', {}],
    ['authenticator/webauthn', {}],
  ] as const;

  const signedIn = async () => {
    const user = await server().user();
    const { cookie, csrf } = await signIn(server(), user.pk);
    const browser = openBrowser(server());
    browser.cookies.set('gatehouse_session', cookie.split('=')[1] as string);
    browser.cookies.set('gatehouse_csrf', csrf);
    return browser;
  };

  test('no stage for signed-in people is passed by an empty or foreign answer', async () => {
    for (const [kind, values] of personal) {
      const walk = await makeWalk(server(), [
        [kind, values],
        ['deny', { deny_message: 'passed' }],
      ]);
      const browser = await signedIn();
      const { component } = (await browser.show(walk.slug)).body;
      expect([kind, component]).toEqual([kind, expect.stringMatching(/^xak-stage-(?!access-denied|flow-error)/)]);
      for (const body of bodies.filter((one) => one.component !== component)) {
        const answer = await browser.answer(walk.slug, body);
        expect([kind, body, answer.status, answer.body.component]).toEqual([kind, body, 200, component]);
      }
      expect((await browser.get('/core/users/me/')).status).toBe(200);
    }
  });

  test('no stage for anonymous people is passed by an empty or foreign answer', async () => {
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

  test('answers to one flow do not advance another', async () => {
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
