import { createHash } from 'node:crypto';
import * as client from 'openid-client';
import { expect, test } from 'vitest';
import { eventsDuring } from '../../support/events.ts';

import { openBrowser } from '../../support/flow-client.ts';
import { bindExpression, makeWalk } from '../../support/make-walk.ts';
import {
  callback,
  makeRelyingParty,
  type RelyingParty,
  signInTo,
  stranger,
  type Visit,
  visitor,
} from '../../support/relying-party.ts';
import { password, personWithPassword } from '../../support/second-factor.ts';
import { describeOnSqlite } from '../../support/server.ts';

const explicit = 'default-provider-authorization-explicit-consent';
const challenge = createHash('sha256').update('v'.repeat(43)).digest('base64url');
const asked = (party: RelyingParty, more: Record<string, string> = {}) => ({
  client_id: party.clientId,
  response_type: 'code',
  redirect_uri: callback,
  scope: 'openid',
  ...more,
});
const errorOf = ({ location }: Visit) => location?.searchParams.get('error') ?? null;
const codeOf = ({ location }: Visit) => location?.searchParams.get('code') ?? null;

describeOnSqlite('the authorize endpoint', (server) => {
  test('issues a code to a client whose flow asks nothing', async () => {
    const party = await makeRelyingParty(server());
    const { authorize } = await visitor(server());
    const params = asked(party, { scope: 'openid email unheard-of', state: 'as it was' });
    const { status, location, headers } = await authorize(params);
    expect(status).toBe(302);
    expect(`${location?.origin}${location?.pathname}`).toBe(callback);
    expect(location?.searchParams.get('code')).toMatch(/^[\w-]{43}$/);
    expect(location?.searchParams.get('state')).toBe('as it was');
    // RFC 9207
    expect(location?.searchParams.get('iss')).toBe(`${server().world.config.publicUrl}/application/o/${party.slug}/`);
    expect(headers.get('cache-control')).toBe('no-store');
  });

  test('records who authorized which application', async () => {
    const party = await makeRelyingParty(server());
    const { authorize, person } = await visitor(server());
    const events = await eventsDuring(server(), () => authorize(asked(party, { scope: 'openid email' })));
    expect(events.map(({ action, username }) => [action, username])).toEqual([
      ['authorize_application', person.username],
    ]);
    const { context } = events[0] ?? {};
    expect(context.authorized_application.name).toBe(party.application.name);
    expect(context.scopes).toBe('openid email');
    expect(context.flow).toMatch(/^[0-9a-f]{32}$/);
  });

  test('redirects no user before client and redirect URI are verified', async () => {
    const party = await makeRelyingParty(server());
    const { authorize } = await visitor(server());
    const good = asked(party);
    const { redirect_uri: _, ...nowhere } = good;
    const { client_id: __, ...nobody } = good;
    const attempts: Record<string, string>[] = [
      { ...good, client_id: 'nobody' },
      { ...good, redirect_uri: 'https://evil.example/callback' },
      { ...good, request_uri: 'https://evil.example/request' },
      { ...good, request_uri: 'urn:ietf:params:oauth:request_uri:unknown' },
      { ...good, request: 'x.y.z' },
      nowhere,
      nobody,
    ];
    for (const params of attempts) {
      const { status, location, headers } = await authorize(params);
      expect([status, location]).toEqual([400, null]);
      expect(headers.get('content-type')).toContain('text/html');
    }
  });

  test('tells clients what is wrong, by the codes of the specifications', async () => {
    const party = await makeRelyingParty(server());
    const open = await makeRelyingParty(server(), { client_type: 'public' });
    const { authorize } = await visitor(server());
    const table: [Record<string, string>, string][] = [
      [asked(party, { response_type: '' }), 'invalid_request'],
      [asked(party, { response_type: 'code magic' }), 'unsupported_response_type'],
      [asked(party, { response_type: 'constructor' }), 'unsupported_response_type'],
      [asked(party, { response_mode: 'pigeon' }), 'invalid_request'],
      [asked(party, { prompt: 'none login' }), 'invalid_request'],
      [asked(party, { prompt: 'dance' }), 'invalid_request'],
      [asked(party, { max_age: '-1' }), 'invalid_request'],
      [asked(party, { max_age: 'soon' }), 'invalid_request'],
      [asked(party, { claims: '[1]' }), 'invalid_request'],
      [asked(party, { claims: '{"userinfo":1}' }), 'invalid_request'],
      [asked(party, { resource: 'relative/path' }), 'invalid_target'],
      [asked(party, { resource: 'https://api.example/#part' }), 'invalid_target'],
      [asked(party, { registration: '{}' }), 'registration_not_supported'],
      [asked(party, { code_challenge: challenge }), 'invalid_request'],
      [asked(party, { code_challenge: challenge, code_challenge_method: 'plain' }), 'invalid_request'],
      [asked(party, { code_challenge: 'short', code_challenge_method: 'S256' }), 'invalid_request'],
      [asked(party, { code_challenge_method: 'S256' }), 'invalid_request'],
      [asked(party, { dpop_jkt: 'short' }), 'invalid_request'],
      [asked(party, { id_token_hint: 'x.y.z' }), 'login_required'],
      // RFC 9700 §2.1.1
      [asked(open), 'invalid_request'],
    ];
    for (const [params, error] of table) {
      const answer = await authorize({ ...params, state: 's' });
      expect([errorOf(answer), params]).toEqual([error, params]);
      expect(answer.location?.searchParams.get('state')).toBe('s');
      expect(answer.location?.searchParams.get('iss')).toContain('/application/o/');
    }
    const duplicate = new URLSearchParams(asked(party));
    duplicate.append('scope', 'email');
    const { visit } = await visitor(server());
    expect(errorOf(await visit(`/application/o/authorize/?${duplicate}`))).toBe('invalid_request');
  });

  test('makes people sign in first, and leads them back', async () => {
    const party = await makeRelyingParty(server());
    const { location } = await stranger(server()).authorize(asked(party));
    expect(location?.pathname).toBe('/if/flow/default-authentication-flow/');
    const back = new URL(location?.searchParams.get('next') ?? '', server().url);
    expect(back.pathname).toBe('/application/o/authorize/');
    expect(codeOf(await (await visitor(server())).visit(back))).not.toBeNull();
  });

  test('uses the provider’s own authentication flow', async () => {
    const walk = await makeWalk(server(), [['dummy']], { designation: 'authentication' });
    const party = await makeRelyingParty(server(), { authentication_flow: walk.pk });
    const { location } = await stranger(server()).authorize(asked(party));
    expect(location?.pathname).toBe(`/if/flow/${walk.slug}/`);
  });

  test('accepts POST as well', async () => {
    const party = await makeRelyingParty(server());
    const { visit } = await visitor(server());
    const { location } = await visit('/application/o/authorize/', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(asked(party)).toString(),
    });
    expect(codeOf(await visit(location as URL))).not.toBeNull();
  });

  test('oidcc-prompt-none-not-logged-in, oidcc-prompt-none-logged-in', async () => {
    const party = await makeRelyingParty(server());
    const params = asked(party, { prompt: 'none' });
    expect(errorOf(await stranger(server()).authorize(params))).toBe('login_required');
    expect(codeOf(await (await visitor(server())).authorize(params))).not.toBeNull();
    const asking = await makeRelyingParty(server(), {}, explicit);
    expect(errorOf(await (await visitor(server())).authorize(asked(asking, { prompt: 'none' })))).toBe(
      'consent_required',
    );
    const walk = await makeWalk(server(), [['dummy']], { designation: 'authorization' });
    const busy = await makeRelyingParty(server(), { authorization_flow: walk.pk });
    expect(errorOf(await (await visitor(server())).authorize(asked(busy, { prompt: 'none' })))).toBe(
      'interaction_required',
    );
  });

  test('oidcc-prompt-login, oidcc-max-age-1: people sign in again, once, and no user can say that they have', async () => {
    const party = await makeRelyingParty(server());
    const browser = await visitor(server());
    await new Promise((done) => setTimeout(done, 1_100));
    for (const more of [{ prompt: 'login' }, { prompt: 'select_account' }, { max_age: '1' }] as Record<
      string,
      string
    >[]) {
      const { location } = await browser.authorize(asked(party, more));
      expect(location?.pathname).toBe('/if/flow/default-authentication-flow/');
      const next = location?.searchParams.get('next') ?? '';
      const still = await browser.visit(next);
      expect(still.location?.pathname).toBe('/if/flow/default-authentication-flow/');
      expect(codeOf(await (await visitor(server())).visit(next))).not.toBeNull();
      // Another request does not count as one for which a user was sent to sign in.
      const forged = next.replace('scope=openid', 'scope=email');
      if (!('max_age' in more)) expect(codeOf(await (await visitor(server())).visit(forged))).toBeNull();
    }
    expect(codeOf(await browser.authorize(asked(party, { max_age: '10000' })))).not.toBeNull();
  });

  test('signing in again keeps the grants of other applications, unless another user signs in', async () => {
    const party = await makeRelyingParty(server());
    const browser = await visitor(server(), await personWithPassword(server()));
    const { tokens, config } = await signInTo(server(), party, browser);
    const isActive = async () => (await client.tokenIntrospection(config, tokens.access_token)).active;
    const again = await makeWalk(
      server(),
      [['password', { backends: ['svc.core.auth.InbuiltBackend'] }], ['user_login']],
      { designation: 'authentication' },
    );
    const first = tokens.claims();
    await new Promise((done) => setTimeout(done, 1_000));
    await browser.answerStep(again.slug);
    expect((await browser.answerStep(again.slug, { password })).component).toBe('xak-flow-redirect');
    expect(await isActive()).toBe(true);
    const second = (await signInTo(server(), party, browser)).tokens.claims();
    expect(second?.sid).toBe(first?.sid);
    expect(second?.auth_time).toBeGreaterThan(first?.auth_time as number);

    const other = await server().user();
    const asOther = await makeWalk(server(), [['identification', { user_fields: ['username'] }], ['user_login']], {
      designation: 'authentication',
    });
    const { body } = await server().admin.get(`/core/users/${other.pk}/`);
    const walker = openBrowser(server());
    for (const [name, value] of browser.jar) walker.cookies.set(name, value);
    await walker.show(asOther.slug);
    await walker.answer(asOther.slug, { uid_field: body.username });
    expect(await isActive()).toBe(false);
  });

  test('oidcc-id-token-hint: the person that the client expects must be the one who is signed in', async () => {
    const party = await makeRelyingParty(server());
    const [one, other] = [await visitor(server()), await visitor(server())];
    const { tokens } = await signInTo(server(), party, one);
    const params = asked(party, { prompt: 'none', id_token_hint: tokens.id_token ?? '' });
    expect(codeOf(await one.authorize(params))).not.toBeNull();
    expect(errorOf(await other.authorize(params))).toBe('login_required');
    // OpenID Connect Core §5.5.1
    const { sub } = tokens.claims() ?? { sub: '' };
    const claims = JSON.stringify({ id_token: { sub: { value: sub } } });
    expect(codeOf(await one.authorize(asked(party, { claims })))).not.toBeNull();
    expect(errorOf(await other.authorize(asked(party, { claims })))).toBe('login_required');
  });

  test('oidcc-login-hint: tells the page whom to expect', async () => {
    const party = await makeRelyingParty(server());
    const { location } = await stranger(server()).authorize(asked(party, { login_hint: 'ada & co' }));
    expect(location?.searchParams.get('login_hint')).toBe('ada & co');
  });

  test('asks for consent, remembers it, and asks again once it is revoked', async () => {
    const party = await makeRelyingParty(server(), {}, explicit);
    const browser = await visitor(server());
    const params = asked(party, { scope: 'openid email' });
    const first = await browser.authorize(params);
    expect(first.location?.pathname).toBe(`/if/flow/${explicit}/`);
    const screen = await browser.answerStep(explicit);
    expect(screen.component).toBe('xak-stage-consent');
    expect(screen.header_text).toContain(party.application.name);
    expect(screen.permissions.map(({ id }: { id: string }) => id)).toEqual(['email', 'openid']);
    const done = await browser.answerStep(explicit, { token: screen.token });
    expect(codeOf(await browser.visit(done.to))).not.toBeNull();

    const { body } = await browser.person.api.get('/core/user_consent/');
    expect(body.results.map(({ permissions }: { permissions: string }) => permissions)).toEqual(['email openid']);
    expect(codeOf(await browser.authorize(params))).not.toBeNull();
    // A wider scope is another consent, and the client may wish that it is asked for again.
    expect(codeOf(await browser.authorize({ ...params, scope: 'openid email profile' }))).toBeNull();
    expect(codeOf(await browser.authorize({ ...params, prompt: 'consent' }))).toBeNull();
    expect((await browser.person.api.delete(`/core/user_consent/${body.results[0].pk}/`)).status).toBe(204);
    expect(codeOf(await browser.authorize(params))).toBeNull();
  });

  test('a ticket works in its own session, once', async () => {
    const party = await makeRelyingParty(server(), {}, explicit);
    const [browser, thief] = [await visitor(server()), await visitor(server())];
    await browser.authorize(asked(party));
    const to = await browser.agree(explicit);
    expect([(await thief.visit(to)).status, (await stranger(server()).visit(to)).status]).toEqual([400, 400]);
    expect(codeOf(await browser.visit(to))).not.toBeNull();
    expect((await browser.visit(to)).status).toBe(400);
    const made = await browser.visit('/application/o/authorize/?ticket=made-up');
    expect([made.status, made.location]).toEqual([400, null]);
  });

  test('evaluates the policies of the application at the beginning and at the end', async () => {
    const party = await makeRelyingParty(server(), {}, explicit);
    const browser = await visitor(server());
    await browser.authorize(asked(party));
    const to = await browser.agree(explicit);
    await bindExpression(server(), party.application.pk, 'return false;');
    expect(errorOf(await browser.visit(to))).toBe('access_denied');
    expect(errorOf(await browser.authorize(asked(party)))).toBe('access_denied');
  });

  test('issues nothing to people who were switched off or signed out meanwhile', async () => {
    const party = await makeRelyingParty(server(), {}, explicit);
    for (const end of ['session', 'user'] as const) {
      const browser = await visitor(server());
      await browser.authorize(asked(party));
      const to = await browser.agree(explicit);
      if (end === 'session') await server().admin.delete(`/core/authenticated_sessions/${browser.session}/`);
      else await server().admin.patch(`/core/users/${browser.person.pk}/`, { is_active: false });
      expect(codeOf(await browser.visit(to))).toBeNull();
    }
  });
});

describeOnSqlite('response types and modes', (server) => {
  test('oidcc-response-type: implicit and hybrid are off unless the provider names them', async () => {
    const party = await makeRelyingParty(server());
    const old = await makeRelyingParty(server(), { grant_types: ['authorization_code', 'implicit', 'hybrid'] });
    const { authorize } = await visitor(server());
    for (const type of ['id_token', 'id_token token', 'code id_token', 'code token', 'token id_token code']) {
      const params = { response_type: type, nonce: 'n-0S6_WzA2Mj' };
      const off = await authorize(asked(party, params));
      expect(new URLSearchParams(off.location?.hash.slice(1)).get('error')).toBe('unauthorized_client');
      const { location } = await authorize(asked(old, params));
      expect(location?.search).toBe('');
      const answer = new URLSearchParams(location?.hash.slice(1));
      expect(answer.has('code')).toBe(type.includes('code'));
      expect(answer.has('id_token')).toBe(type.includes('id_token'));
      expect(answer.has('access_token')).toBe(type.split(' ').includes('token'));
      expect(answer.has('refresh_token')).toBe(false);
      if (!answer.has('id_token')) continue;
      const claims = JSON.parse(Buffer.from(answer.get('id_token')?.split('.')[1] ?? '', 'base64url').toString());
      expect(claims.nonce).toBe('n-0S6_WzA2Mj');
      expect('c_hash' in claims).toBe(answer.has('code'));
      expect('at_hash' in claims).toBe(answer.has('access_token'));
    }
  });

  test('oidcc-ensure-request-without-nonce-fails, and no tokens in a query', async () => {
    const old = await makeRelyingParty(server(), { grant_types: ['implicit'] });
    const { authorize } = await visitor(server());
    const errorIn = ({ location }: Visit) => new URLSearchParams(location?.hash.slice(1)).get('error');
    expect(errorIn(await authorize(asked(old, { response_type: 'id_token' })))).toBe('invalid_request');
    const query = { response_type: 'id_token', nonce: 'n', response_mode: 'query' };
    expect(errorIn(await authorize(asked(old, query)))).toBe('invalid_request');
  });
});
