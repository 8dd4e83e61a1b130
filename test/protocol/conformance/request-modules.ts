import * as oauth from 'oauth4webapi';
import { expect, test } from 'vitest';
import { openBrowser } from '../../support/flow-client.ts';
import { asForm, callback } from '../../support/relying-party.ts';
import type { MovableClock } from './movable-clock.ts';
import { signIn, signInOn, username } from './person.ts';
import { answered, atThisServer, formOf, requestOf, type SuiteClient } from './suite-client.ts';

const signInPage = '/if/flow/default-authentication-flow/';

/**
 * Modules about what can be asked for, which the Basic, Hybrid and Implicit profiles run with each of their response
 * types.
 */
export function requestModules(suite: () => SuiteClient, clock: MovableClock): void {
  test.each([
    ['oidcc-display-page', { display: 'page' }],
    ['oidcc-display-popup', { display: 'popup' }],
    ['oidcc-ui-locales', { ui_locales: 'se fr-CA en' }],
    ['oidcc-claims-locales', { claims_locales: 'se fr-CA en' }],
    ['oidcc-ensure-request-with-unknown-parameter-succeeds', { extra: 'foobar' }],
  ])('%s: %o does not stand in the way', async (_name, more) => {
    await suite().complete(more);
  });

  test('oidcc-ensure-request-with-acr-values-succeeds: the ID token says which of them holds', async () => {
    const asked = suite().metadata.acr_values_supported ?? [];
    const { claims } = await suite().complete({ acr_values: asked.join(' ') });
    expect(asked).toContain(claims.acr);
  });

  /** Asks a second time, two seconds later; the person is sent to sign in again, and does. */
  async function signInAgain(more: Record<string, string>) {
    const { server, complete, ask, finish } = suite();
    const browser = await signIn(server);
    const first = await complete({}, browser);
    clock.pass(2);
    const sent = await ask(more, browser);
    expect(sent.location?.pathname).toBe(signInPage);
    const back = await signInOn(browser, sent.location);
    const second = await finish(answered(await browser.get(back), sent.sent));
    expect(second.claims.sub).toBe(first.claims.sub);
    return [first.claims.auth_time, second.claims.auth_time] as [number, number];
  }

  test('oidcc-prompt-login: people sign in again although they are signed in', async () => {
    const [first, second] = await signInAgain({ prompt: 'login' });
    expect(second).toBeGreaterThan(first);
  });

  test('oidcc-prompt-none-not-logged-in: no user is asked anything', async () => {
    const { ask, server } = suite();
    const { told, sent } = await ask({ prompt: 'none' }, openBrowser(server));
    expect([told.get('error'), told.get('state')]).toEqual(['login_required', sent.state]);
  });

  test('oidcc-prompt-none-logged-in: it is the same person, who signed in at the same time', async () => {
    const { complete } = suite();
    const [first, second] = [await complete(), await complete({ prompt: 'none' })];
    expect([second.claims.sub, second.claims.auth_time]).toEqual([first.claims.sub, first.claims.auth_time]);
  });

  test('oidcc-max-age-1: people who signed in longer ago sign in again', async () => {
    const [first, second] = await signInAgain({ max_age: '1' });
    expect(second).toBeGreaterThan(first);
  });

  test('oidcc-max-age-10000: people who signed in since then do not', async () => {
    const { complete, server } = suite();
    const browser = await signIn(server);
    const [first, second] = [await complete({}, browser), await complete({ max_age: '10000' }, browser)];
    expect(second.claims.auth_time).toBeTypeOf('number');
    expect(second.claims.auth_time).toBe(first.claims.auth_time);
  });

  test('oidcc-id-token-hint: with prompt=none, the person of the hint is the one of the answer', async () => {
    const { complete } = suite();
    const { idToken, claims } = await complete();
    const second = await complete({ prompt: 'none', id_token_hint: idToken });
    expect(second.claims.sub).toBe(claims.sub);
  });

  test('oidcc-login-hint: the page knows whom to expect, and the flow goes on from it', async () => {
    const { ask, finish, server } = suite();
    const browser = openBrowser(server);
    const { location, sent } = await ask({ login_hint: username }, browser);
    expect([location?.pathname, location?.searchParams.get('login_hint')]).toEqual([signInPage, username]);
    await finish(answered(await browser.get(await signInOn(browser, location)), sent));
  });

  test('oidcc-ensure-registered-redirect-uri: no user is sent to an address that is not registered', async () => {
    for (const redirect_uri of [`${callback}/other`, `${callback}?a=b`, 'https://app.example/', `${callback}%2f`]) {
      const { status, location, text } = await suite().ask({ redirect_uri });
      expect([status, location]).toEqual([400, null]);
      // Only administrators see which one it was.
      expect(text).toMatch(/redirect URI|not registered/);
    }
  });

  test('oidcc-ensure-post-request-succeeds: a form will do in place of a query', async () => {
    const { server, browser, client, variant, finish } = suite();
    const sent = requestOf(client, variant, {});
    const form = asForm(Object.fromEntries(new URLSearchParams(formOf(sent))));
    // A browser sends no cookies with the form of another site; it does with the redirect that follows.
    const { headers } = await fetch(`${server.url}/application/o/authorize/`, { ...form, redirect: 'manual' });
    await finish(answered(await browser.get(headers.get('location') ?? ''), sent));
  });

  test('oidcc-claims-essential: claims can be asked for by name', async () => {
    const { complete, userinfo } = suite();
    const asked = { name: { essential: true } };
    const { claims } = await complete({
      scope: 'openid profile',
      claims: JSON.stringify({ userinfo: asked, id_token: asked }),
    });
    expect(claims.name).toBe('Connie Formance');
    // By itself it comes without the rest of its scope.
    const narrow = await complete({ claims: JSON.stringify({ userinfo: asked, id_token: asked }) });
    expect(narrow.claims.name).toBe('Connie Formance');
    expect(narrow.claims).not.toHaveProperty('preferred_username');
    if (narrow.accessToken === undefined) return;
    const told = await (await userinfo(narrow.accessToken)).json();
    expect(told).toEqual({ sub: narrow.claims.sub, name: 'Connie Formance' });
  });
}

/** Modules about codes and the token endpoint, for response types that bring a code. */
export function codeModules(suite: () => SuiteClient, clock: MovableClock, other: () => SuiteClient): void {
  async function exchangeTwice(secondsBetween: number): Promise<void> {
    const { complete, token, userinfo } = suite();
    const { answered: answer, accessToken = '' } = await complete();
    expect((await userinfo(accessToken)).status).toBe(200);
    clock.pass(secondsBetween);
    const again = { grant_type: 'authorization_code', code: answer.told.get('code') ?? '', redirect_uri: callback };
    const { status, body } = await token(again);
    expect([status, body.error]).toEqual([400, 'invalid_grant']);
    // RFC 6749 §4.1.2
    expect((await userinfo(accessToken)).status).toBe(401);
  }

  test('oidcc-codereuse: a code is good once, and a second use takes back what the first gave', () => exchangeTwice(0));
  test('oidcc-codereuse-30seconds: also later, while a code would still be good', () => exchangeTwice(30));

  test('oidcc-refresh-token: brings tokens of the same sign-in, for the same client alone', async () => {
    const { complete, metadata, client, auth, server, verify } = suite();
    const { tokens, claims } = await complete({ scope: 'openid offline_access', prompt: 'consent' });
    const refresh_token = tokens?.refresh_token ?? '';
    const { status, body } = await other().token({ grant_type: 'refresh_token', refresh_token });
    expect([status, body.error]).toEqual([400, 'invalid_grant']);
    const options = atThisServer(server);
    const response = await oauth.refreshTokenGrantRequest(metadata, client, auth, refresh_token, options);
    const refreshed = await oauth.processRefreshTokenResponse(metadata, client, response);
    expect(refreshed.access_token).not.toBe(tokens?.access_token);
    // OpenID Connect Core §12.2
    const { payload } = await verify(refreshed.id_token ?? '');
    for (const claim of ['iss', 'sub', 'aud', 'auth_time', 'azp']) expect(payload[claim]).toEqual(claims[claim]);
    expect(payload.iat as number).toBeGreaterThanOrEqual(claims.iat as number);
    expect(payload).not.toHaveProperty('nonce');
  });

  test('oidcc-ensure-request-with-valid-pkce-succeeds: a verifier that belongs to the challenge', async () => {
    const verifier = oauth.generateRandomCodeVerifier();
    const code_challenge = await oauth.calculatePKCECodeChallenge(verifier);
    const { ask, finish } = suite();
    await finish(await ask({ code_challenge, code_challenge_method: 'S256' }), verifier);
  });
}
