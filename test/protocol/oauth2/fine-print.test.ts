import { createHmac } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { defaultAcr } from '../../../src/kinds/providers/oauth2/claims.ts';
import { makeWalk } from '../../support/make-walk.ts';
import {
  asForm,
  callback,
  isAlive,
  makeRelyingParty,
  type RelyingParty,
  signInTo,
  type Visit,
  visitor,
} from '../../support/relying-party.ts';
import { describeOnSqlite } from '../../support/server.ts';
import { movableClock } from '../conformance/movable-clock.ts';

const errorOf = ({ location }: Visit) => location?.searchParams.get('error') ?? null;
const asked = ({ clientId }: RelyingParty, more: Record<string, string> = {}) => ({
  client_id: clientId,
  response_type: 'code',
  redirect_uri: callback,
  scope: 'openid',
  ...more,
});

describeOnSqlite('details of the specifications', (server) => {
  test('RFC 6749 §3.1: unknown parameters are ignored, whatever they are called', async () => {
    const party = await makeRelyingParty(server());
    const browser = await visitor(server());
    const { location } = await browser.authorize(asked(party, { ticket: 'of an opera', after: 'noon', done: '1' }));
    expect(location?.searchParams.has('code')).toBe(true);
  });

  test('RFC 6749 §4.1.2.1: the client learns that a parameter stands twice, unless it says where the client is', async () => {
    const party = await makeRelyingParty(server());
    const browser = await visitor(server());
    const ask = (more: string) =>
      browser.visit(`/application/o/authorize/?${new URLSearchParams(asked(party, { state: 's' }))}&${more}`);
    for (const more of [
      'prompt=none&prompt=login',
      'nonce=a&nonce=b',
      'scope=openid',
      'nonce=%00',
      'x%00=1',
      'y=1&y=1',
    ]) {
      const answer = await ask(more);
      expect([more, errorOf(answer), answer.location?.searchParams.get('state')]).toEqual([
        more,
        'invalid_request',
        's',
      ]);
    }
    const callbackTwice = `redirect_uri=${encodeURIComponent(callback)}`;
    for (const more of [
      callbackTwice,
      'state=s',
      'client_id=x',
      'response_type=code',
      'response_mode=query&response_mode=form_post',
    ]) {
      const { status, location } = await ask(more);
      expect([more, status, location]).toEqual([more, 400, null]);
    }
  });

  test('OpenID Connect Core §5.5: unknown members of claims are ignored', async () => {
    const party = await makeRelyingParty(server());
    const browser = await visitor(server());
    const claims = JSON.stringify({ id_token: { email: null }, verified: 'yes', version: 3 });
    expect((await browser.authorize(asked(party, { claims }))).location?.searchParams.has('code')).toBe(true);
  });

  test('OpenID Connect Core §5.5.1.1: an essential acr that cannot be met is a failed authentication', async () => {
    const party = await makeRelyingParty(server());
    const browser = await visitor(server());
    const outcome = async (acr: unknown) => {
      const answer = await browser.authorize(asked(party, { claims: JSON.stringify({ id_token: { acr } }) }));
      return errorOf(answer) ?? (answer.location?.searchParams.has('code') ? 'code' : answer.status);
    };
    const silver = 'urn:mace:incommon:iap:silver';
    const unmet = 'unmet_authentication_requirements';
    for (const [acr, expected] of [
      [{ essential: true, values: [silver] }, unmet],
      [{ essential: true, value: silver }, unmet],
      [{ essential: true, values: [silver, defaultAcr] }, 'code'],
      [{ essential: true, value: defaultAcr }, 'code'],
      [{ essential: true }, 'code'],
      [{ essential: false, values: [silver] }, 'code'],
      [{ values: [silver] }, 'code'],
      [null, 'code'],
      ['odd', 'code'],
    ] as const) {
      expect([acr, await outcome(acr)]).toEqual([acr, expected]);
    }
  });

  test('RFC 6750 §3.1: a request without a token gets a challenge without an error', async () => {
    const get = (headers: Record<string, string>) => fetch(`${server().url}/application/o/userinfo/`, { headers });
    const none = await get({});
    expect([none.status, none.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="gatehouse"']);
    expect((await get({ authorization: 'Bearer x' })).headers.get('www-authenticate')).toContain('invalid_token');
  });

  test('RFC 7591 §3.2.1: the answer to a registration says which scopes the client has been given', async () => {
    const asks = { redirect_uris: [callback], scope: 'openid everything email' };
    const { status, body } = await server().admin.post('/application/o/register/', asks);
    expect([status, body.scope]).toEqual([201, 'openid email']);
  });
});

describeOnSqlite('RP-Initiated Logout §2: a person who wished to sign out is signed out', (server) => {
  const isSignedIn = (session: string) => isAlive(server(), session);

  async function throughFlow(stages: Parameters<typeof makeWalk>[1], values: Record<string, unknown> = {}) {
    const { admin } = server();
    const { body: brands } = await admin.get('/core/brands/');
    const { brand_uuid, flow_invalidation } = brands.results[0];
    const walk = await makeWalk(server(), stages, { designation: 'invalidation', ...values });
    const party = await makeRelyingParty(server());
    const browser = await visitor(server());
    const { tokens } = await signInTo(server(), party, browser);
    const hint = new URLSearchParams({ id_token_hint: tokens.id_token ?? '' });
    await admin.patch(`/core/brands/${brand_uuid}/`, { flow_invalidation: walk.pk });
    const first = await browser.visit(`/application/o/${party.slug}/end-session/?${hint}`);
    await admin.patch(`/core/brands/${brand_uuid}/`, { flow_invalidation });
    return { walk, browser, first };
  }

  test('even by a flow without a logout stage', async () => {
    const { browser, first } = await throughFlow([]);
    expect([first.text.includes('You are signed out'), await isSignedIn(browser.session)]).toEqual([true, false]);
  });

  test.each([
    ['that forgets to', [['dummy']]],
    ['that denies them and goes on', [['dummy'], ['deny']]],
  ] as const)('by a flow %s after it asked something', async (_, stages) => {
    const { walk, browser } = await throughFlow(stages, { denied_action: 'continue' });
    await browser.answerStep(walk.slug);
    const { to } = await browser.answerStep(walk.slug, { component: 'xak-stage-dummy' });
    const other = await visitor(server());
    await other.visit(to);
    expect(await isSignedIn(other.session)).toBe(true);
    const { text } = await browser.visit(to);
    expect([text.includes('You are signed out'), await isSignedIn(browser.session)]).toEqual([true, false]);
  });

  test('a client without keys cannot sign assertions', async () => {
    const party = await makeRelyingParty(server(), {
      client_type: 'public',
      client_secret: '',
      id_token_signed_response_alg: 'HS256',
    });
    const browser = await visitor(server());
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const iss = `${server().world.config.publicUrl}/application/o/${party.slug}/`;
    const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ iss, aud: party.clientId, sub: 'x', sid: 'y' })}`;
    const id_token_hint = `${signed}.${createHmac('sha256', '').update(signed).digest('base64url')}`;
    const { status, text } = await browser.visit(
      `/application/o/${party.slug}/end-session/?${new URLSearchParams({ id_token_hint })}`,
    );
    expect([status, text.includes('Do you want to sign out?')]).toEqual([200, true]);
    const pkce = { code_challenge: 'a'.repeat(43), code_challenge_method: 'S256' };
    expect(errorOf(await browser.authorize(asked(party, { id_token_hint, ...pkce })))).toBe('login_required');
  });

  test('RFC 9110 §15.5.6, RFC 9126 §2.3: another method is refused, and told which there are', async () => {
    await makeRelyingParty(server());
    const paths = ['par/', 'token/', 'introspect/', 'revoke/', 'device/', 'userinfo/', 'jwks/'];
    for (const path of paths) {
      const answer = await fetch(`${server().url}/application/o/${path}`, { method: 'PUT' });
      const { error } = (await answer.json()) as { error: string };
      expect([path, answer.status, error]).toEqual([path, 405, 'invalid_request']);
      expect(answer.headers.get('allow')).toMatch(/(GET|POST).*, OPTIONS$/);
    }
    expect((await fetch(`${server().url}/application/o/par/`)).status).toBe(405);
  });
});

const clock = movableClock();

describeOnSqlite(
  'RFC 9126 §4: a pushed request',
  (server) => {
    test('serves people who take their time, and no user twice', async () => {
      const explicit = 'default-provider-authorization-explicit-consent';
      const party = await makeRelyingParty(server(), {}, explicit);
      const form = asForm({ ...asked(party), client_secret: party.clientSecret });
      const pushed = await fetch(`${server().url}/application/o/par/`, form);
      const { request_uri } = (await pushed.json()) as { request_uri: string };
      const browsers = [await visitor(server()), await visitor(server())];
      for (const browser of browsers) await browser.authorize({ client_id: party.clientId, request_uri });
      clock.pass(20 * 60);
      const { db } = server().world;
      await db.write((tx) => sql`delete from oauth2_requests where expires <= ${clock.now()}`.execute(tx));
      const outcomes: unknown[] = [];
      for (const browser of browsers) {
        const to = await browser.agree(explicit);
        const answer = await browser.visit(to);
        outcomes.push(errorOf(answer) ?? answer.location?.searchParams.has('code'));
      }
      expect(outcomes).toEqual([true, 'invalid_request_uri']);
    });
  },
  { clock },
);
