import { SignJWT } from 'jose';
import { beforeAll, expect, test } from 'vitest';
import { describeOnSqlite } from '../../support/server.ts';
import { goodbye, type Stay, stay, strict } from './logout-client.ts';
import { prepare } from './person.ts';
import { describeVariant } from './run-variant.ts';
import type { Answered } from './suite-client.ts';

const variant = { responseType: 'code', settings: { post_logout_redirect_uris: strict(goodbye) } };

/** A page of the server’s own; no user is sent on. */
const isPage = ({ status, location }: Answered) => expect([status, location]).toEqual([200, null]);

describeOnSqlite('RP-Initiated Logout OP', (server) => {
  beforeAll(() => prepare(server()));

  describeVariant(server, variant, (suite) => {
    test('oidcc-rp-initiated-logout-discovery-endpoint-verification: clients find the endpoint', () => {
      const { metadata, party } = suite();
      expect(metadata.end_session_endpoint).toMatch(new RegExp(`/application/o/${party.slug}/end-session/$`));
    });

    test('oidcc-rp-initiated-logout: back to the client with its state, and signed out', async () => {
      const { leave, done, isSignedIn } = await stay(suite());
      expect(await isSignedIn()).toBe(true);
      const params = { id_token_hint: done.idToken, post_logout_redirect_uri: goodbye, state: 'a state & more' };
      const { status, location } = await leave(params);
      expect([status, location?.origin, location?.pathname]).toEqual([302, 'https://app.example', '/goodbye']);
      expect([...(location?.searchParams ?? [])]).toEqual([['state', params.state]]);
      expect(await isSignedIn()).toBe(false);
    });

    test('oidcc-rp-initiated-logout-no-state: nothing is added to the address', async () => {
      const { leave, done, isSignedIn } = await stay(suite());
      const { location } = await leave({ id_token_hint: done.idToken, post_logout_redirect_uri: goodbye });
      expect(location?.href).toBe(goodbye);
      expect(await isSignedIn()).toBe(false);
    });

    test('oidcc-rp-initiated-logout-no-post-logout-redirect-uri: people stay, and see that they are signed out', async () => {
      const { leave, done, isSignedIn } = await stay(suite());
      const page = await leave({ id_token_hint: done.idToken, state: 's' });
      isPage(page);
      expect(page.text).toContain('You are signed out');
      expect(await isSignedIn()).toBe(false);
    });

    test.each([
      ['oidcc-rp-initiated-logout-bad-post-logout-redirect-uri', 'https://app.example/elsewhere'],
      ['oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri', `${goodbye}?foo=bar`],
    ])('%s: nobody is sent to %s, which is not registered', async (_name, post_logout_redirect_uri) => {
      const { leave, done } = await stay(suite());
      isPage(await leave({ id_token_hint: done.idToken, post_logout_redirect_uri, state: 's' }));
    });

    /** Who asks is not proven: people decide, and a hint that is no good leads no user back. */
    async function isAskedAndStays(
      { leave, confirm, isSignedIn }: Stay,
      params: Record<string, string>,
    ): Promise<Answered> {
      const page = await leave(params);
      isPage(page);
      expect(page.text).toContain('Do you want to sign out?');
      expect(await isSignedIn()).toBe(true);
      const after = await confirm(page);
      expect(await isSignedIn()).toBe(false);
      return after;
    }

    test('oidcc-rp-initiated-logout-modified-id-token-hint: a hint with another signature proves nothing', async () => {
      const one = await stay(suite());
      const [header, claims, signature = ''] = one.done.idToken.split('.');
      const id_token_hint = `${header}.${claims}.${[...signature].reverse().join('')}`;
      isPage(await isAskedAndStays(one, { id_token_hint, post_logout_redirect_uri: goodbye, state: 's' }));
    });

    test('oidcc-rp-initiated-logout-bad-id-token-hint: nor does one that the client has signed itself', async () => {
      const one = await stay(suite());
      const secret = new TextEncoder().encode(suite().party.clientSecret);
      const jwt = new SignJWT(one.done.claims).setProtectedHeader({ alg: 'HS256', typ: 'JWT' });
      const id_token_hint = await jwt.sign(secret);
      isPage(await isAskedAndStays(one, { id_token_hint, post_logout_redirect_uri: goodbye, state: 's' }));
    });

    test('oidcc-rp-initiated-logout-no-id-token-hint: people are asked first', async () => {
      await isAskedAndStays(await stay(suite()), { post_logout_redirect_uri: goodbye, state: 's' });
    });

    test('oidcc-rp-initiated-logout-no-params: people are asked, and then see that they are signed out', async () => {
      const page = await isAskedAndStays(await stay(suite()), {});
      isPage(page);
      expect(page.text).toContain('You are signed out');
    });

    test('oidcc-rp-initiated-logout-only-state: a state alone leads nowhere', async () => {
      const page = await isAskedAndStays(await stay(suite()), { state: 's' });
      isPage(page);
      expect(page.text).toContain('You are signed out');
    });
  });
});
