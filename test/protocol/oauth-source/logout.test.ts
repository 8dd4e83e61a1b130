import { generateKeyPair, SignJWT } from 'jose';
import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { eventsDuring } from '../../support/events.ts';
import type { Browser } from '../../support/flow-client.ts';
import { unique } from '../../support/make-walk.ts';
import { isSignedIn } from '../../support/second-factor.ts';
import { describeOnBoth } from '../../support/server.ts';
import { loopbackAllowed } from '../../support/service.ts';
import { clientId, startOpenId } from './openid-service.ts';
import { openIdWalk } from './openid-walk.ts';
import { newBrowser, throughFlow, visit } from './visitor.ts';

const peer = await startOpenId();
beforeEach(async () => {
  await peer.reset();
  peer.configuration = { end_session_endpoint: `${peer.url}/end-session?tenant=1` };
});
afterAll(() => peer.close());

const done = { component: 'xak-flow-redirect', to: '/if/user/' };
const event = 'http://schemas.openid.net/event/backchannel-logout';

describeOnBoth(
  'signing out with an OpenID source',
  (server) => {
    const { source, arrive, me } = openIdWalk(server, peer);
    const address = (slug: string) => `${server().world.config.publicUrl}/source/oauth/logout/${slug}/`;

    async function signIn(slug: string, sub = unique('sub'), claims: Record<string, unknown> = {}) {
      peer.person = { sub, preferred_username: unique('person'), name: 'Person' };
      peer.claims = claims;
      const browser = newBrowser(server());
      expect(await throughFlow(browser, await arrive(slug, browser))).toEqual(done);
      return { browser, sub };
    }
    const signOut = async (browser: Browser) => String((await browser.answer('default-invalidation-flow', {})).body.to);

    describe('at the source, too (RP-Initiated Logout)', () => {
      test('sends the ID token as a hint, and goes on where the provider returns to', async () => {
        const { slug } = await source();
        const { browser, sub } = await signIn(slug);
        const detour = await signOut(browser);
        expect(detour).toMatch(`/source/oauth/logout/${slug}/?session=`);
        expect(await isSignedIn(browser)).toBe(false);
        const asked = new URL((await visit(server(), browser, detour)).location);
        expect(`${asked.origin}${asked.pathname}`).toBe(`${peer.url}/end-session`);
        const { id_token_hint, state, ...rest } = Object.fromEntries(asked.searchParams);
        expect(rest).toEqual({ tenant: '1', client_id: clientId, post_logout_redirect_uri: address(slug) });
        const claims = JSON.parse(Buffer.from(id_token_hint?.split('.')[1] ?? '', 'base64url').toString());
        expect(claims).toMatchObject({ sub, iss: peer.url, aud: clientId });
        const back = await visit(server(), browser, `/source/oauth/logout/${slug}/?state=${state}`);
        expect(back.status).toBe(302);
        expect(back.location).toMatch(/^\//);
        // Each link is good once, and leads nowhere else.
        expect((await visit(server(), browser, detour)).location).toBe(back.location);
        const bent = await visit(server(), browser, detour.replace(/to=[^&]*/, 'to=https%3A%2F%2Fevil.example'));
        expect(bent.status).toBe(400);
      });

      test('only after the person has signed out here: a link of another site ends nothing', async () => {
        const { slug } = await source();
        const { browser } = await signIn(slug);
        for (const query of ['', '?state=x', '?session=x&to=/&proof=x']) {
          const page = await visit(server(), browser, `/source/oauth/logout/${slug}/${query}`);
          expect(page.location).not.toContain(peer.url);
        }
        expect(await isSignedIn(browser)).toBe(true);
      });

      test('not if the source is switched off for it, or its provider offers none', async () => {
        const off = await source({ end_session_at_source: false });
        expect(await signOut((await signIn(off.slug)).browser)).not.toContain('/source/oauth/');
        peer.configuration = {};
        const without = await source();
        expect(await signOut((await signIn(without.slug)).browser)).not.toContain('/source/oauth/');
      });

      test('stores the ID token encrypted, and drops it with the session', async () => {
        const { slug, pk } = await source();
        const { browser } = await signIn(slug);
        const stored = async () =>
          (
            await sql<{ id_token: string }>`select id_token from oauth_source_sessions where source = ${pk}`.execute(
              server().world.db.read,
            )
          ).rows;
        const [row] = await stored();
        expect(row?.id_token).not.toContain('eyJ');
        await signOut(browser);
        expect(await stored()).toEqual([]);
      });
    });

    describe('from the source (Back-Channel Logout)', () => {
      const seconds = () => Math.floor(Date.now() / 1000);
      const claimsOf = (more: Record<string, unknown> = {}) => ({
        ...{ iss: peer.url, aud: clientId, iat: seconds(), exp: seconds() + 120, jti: unique('jti') },
        events: { [event]: {} },
        ...more,
      });
      const send = async (slug: string, form: Record<string, string>) => {
        const answer = await fetch(`${server().url}/source/oauth/backchannel-logout/${slug}/`, {
          method: 'POST',
          body: new URLSearchParams(form),
        });
        return { status: answer.status, text: await answer.text(), cache: answer.headers.get('cache-control') };
      };
      const sendToken = async (slug: string, claims: Record<string, unknown>, header: Record<string, unknown> = {}) =>
        send(slug, { logout_token: await peer.sign(claims, header) });

      test('ends the session that sid names, and no other', async () => {
        const { slug } = await source();
        const sub = unique('sub');
        const one = await signIn(slug, sub, { sid: 'session-1' });
        const two = await signIn(slug, sub, { sid: 'session-2' });
        const user = await me(one.browser);
        const events = await eventsDuring(server(), async () => {
          const token = claimsOf({ sub, sid: 'session-1' });
          expect(await sendToken(slug, token, { typ: 'logout+jwt' })).toEqual({
            status: 200,
            text: '',
            cache: 'no-store',
          });
        });
        expect(events).toMatchObject([{ action: 'logout', username: user.username, context: { source: { slug } } }]);
        expect([await isSignedIn(one.browser), await isSignedIn(two.browser)]).toEqual([false, true]);
      });

      test('ends sessions by sub whose ID tokens named no session, although the logout token names one', async () => {
        const { slug } = await source();
        const sub = unique('sub');
        const { browser } = await signIn(slug, sub);
        const other = await signIn(slug);
        expect((await sendToken(slug, claimsOf({ sid: 'session-3' }))).status).toBe(200);
        expect(await isSignedIn(browser)).toBe(true);
        expect((await sendToken(slug, claimsOf({ sub, sid: 'session-3' }))).status).toBe(200);
        expect([await isSignedIn(browser), await isSignedIn(other.browser)]).toEqual([false, true]);
      });

      test('ends all sessions of a sub, at this source alone', async () => {
        const [first, second] = [await source(), await source()];
        const sub = unique('sub');
        const here = [await signIn(first.slug, sub), await signIn(first.slug, sub, { sid: 's' })];
        const other = await signIn(first.slug);
        const there = await signIn(second.slug, sub);
        expect((await sendToken(first.slug, claimsOf({ sub }))).status).toBe(200);
        expect(await Promise.all(here.map(({ browser }) => isSignedIn(browser)))).toEqual([false, false]);
        expect(await isSignedIn(other.browser)).toBe(true);
        expect(await isSignedIn(there.browser)).toBe(true);
      });

      test('accepts each token once', async () => {
        const { slug } = await source();
        const { sub } = await signIn(slug);
        const token = claimsOf({ sub });
        expect((await sendToken(slug, token)).status).toBe(200);
        const later = await signIn(slug, sub);
        const again = await sendToken(slug, token);
        expect([again.status, again.text]).toEqual([400, expect.stringContaining('used before')]);
        expect(await isSignedIn(later.browser)).toBe(true);
      });

      const wrong: [string, (sub: string) => Record<string, unknown>, string][] = [
        ['of another issuer', (sub) => ({ sub, iss: 'https://evil.example' }), 'another issuer'],
        ['without an issuer', (sub) => ({ sub, iss: undefined }), 'iss'],
        ['for another client', (sub) => ({ sub, aud: 'other' }), 'aud'],
        ['older than ten minutes', (sub) => ({ sub, iat: seconds() - 700 }), 'too old'],
        ['from the future', (sub) => ({ sub, iat: seconds() + 300 }), 'iat'],
        ['that has expired', (sub) => ({ sub, exp: seconds() - 300 }), 'expired'],
        ['without events', (sub) => ({ sub, events: undefined }), 'events'],
        ['with another event', (sub) => ({ sub, events: { 'https://example.com/event': {} } }), 'events'],
        ['with an event that is not an object', (sub) => ({ sub, events: { [event]: true } }), 'events'],
        ['with a nonce', (sub) => ({ sub, nonce: 'n' }), 'nonce'],
        ['without jti', (sub) => ({ sub, jti: undefined }), 'jti'],
        ['without sub and sid', () => ({}), 'neither sub nor sid'],
        ['with a sub that is not a text', () => ({ sub: 7 }), 'sub'],
      ];
      test.each(wrong)('refuses a token %s', async (_name, claims, words) => {
        const { slug } = await source();
        const { browser, sub } = await signIn(slug);
        const answer = await sendToken(slug, claimsOf(claims(sub)));
        expect([answer.status, answer.cache]).toEqual([400, 'no-store']);
        expect(JSON.parse(answer.text)).toEqual({
          error: 'invalid_request',
          error_description: expect.stringContaining(words),
        });
        expect(await isSignedIn(browser)).toBe(true);
      });

      test('refuses ID tokens, tokens of another type or key, and requests without one token', async () => {
        const { slug } = await source();
        const { browser, sub } = await signIn(slug);
        const idToken = { iss: peer.url, aud: clientId, iat: seconds(), exp: seconds() + 60, sub, nonce: 'n' };
        expect((await sendToken(slug, idToken)).status).toBe(400);
        expect((await sendToken(slug, claimsOf({ sub }), { typ: 'at+jwt' })).status).toBe(400);
        const { privateKey } = await generateKeyPair('ES256');
        const forged = await new SignJWT(claimsOf({ sub })).setProtectedHeader({ alg: 'ES256' }).sign(privateKey);
        expect((await send(slug, { logout_token: forged })).status).toBe(400);
        expect((await send(slug, {})).status).toBe(400);
        expect((await send(slug, { logout_token: 'x' })).status).toBe(400);
        expect((await send('no-such-source', { logout_token: 'x' })).status).toBe(400);
        expect(await isSignedIn(browser)).toBe(true);
      });
    });

    test('the source names the addresses to register at the provider', async () => {
      const { slug, ...made } = await source();
      expect([made.logout_url, made.backchannel_logout_url, made.end_session_at_source]).toEqual([
        address(slug),
        `${server().world.config.publicUrl}/source/oauth/backchannel-logout/${slug}/`,
        true,
      ]);
    });
  },
  { env: { ...loopbackAllowed, GATEHOUSE_PUBLIC_URL: 'http://localhost:8765' } },
);
