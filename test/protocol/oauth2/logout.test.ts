import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { asked } from '../../support/denied-request.ts';
import { eventsDuring } from '../../support/events.ts';
import { until } from '../../support/jobs.ts';
import { makeWalk } from '../../support/make-walk.ts';
import { basicHeader, post } from '../../support/oauth2.ts';
import {
  asForm,
  callback,
  fieldsOf,
  isAlive,
  makeRelyingParty,
  signInTo,
  stranger,
  visitor,
} from '../../support/relying-party.ts';
import { describeOnBoth } from '../../support/server.ts';

const goodbye = 'https://app.example/goodbye';
const strict = (url: string) => [{ matching_mode: 'strict', url }];

/** A client's own server, which takes logout tokens. */
function logoutReceiver() {
  const tokens: string[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    tokens.push(new URLSearchParams(text).get('logout_token') ?? '');
    response.writeHead(200).end();
  });
  return { tokens, server };
}

// Named after the modules of the RP-Initiated, Back-Channel and Front-Channel Logout OP certification profiles.
describeOnBoth(
  'oidcc: logout',
  (server) => {
    const receiver = logoutReceiver();
    let receiverUrl = '';
    beforeAll(async () => {
      if (!receiver.server.listening) await new Promise<void>((done) => receiver.server.listen(0, '127.0.0.1', done));
      receiverUrl = `http://127.0.0.1:${(receiver.server.address() as AddressInfo).port}/logout`;
    });
    afterAll(() => void receiver.server.close());

    const isSignedIn = (session: string) => isAlive(server(), session);

    test('oidcc-rp-initiated-logout: by the hint of this session, back to where the client has registered', async () => {
      const party = await makeRelyingParty(server(), { post_logout_redirect_uris: strict(goodbye) });
      const browser = await visitor(server());
      const { tokens } = await signInTo(server(), party, browser);
      const { status, location } = await browser.visit(
        `/application/o/${party.slug}/end-session/?${new URLSearchParams({
          id_token_hint: tokens.id_token ?? '',
          post_logout_redirect_uri: goodbye,
          state: 'so long',
        })}`,
      );
      expect([status, location?.href]).toEqual([302, `${goodbye}?state=so+long`]);
      expect(await isSignedIn(browser.session)).toBe(false);
    });

    test('an unregistered post_logout_redirect_uri is shown and recorded, whoever asks and by whichever way', async () => {
      const party = await makeRelyingParty(server(), { post_logout_redirect_uris: strict(goodbye) });
      const evil = 'https://evil.example/out';
      const path = `/application/o/${party.slug}/end-session/`;
      const shown = 'The request named this redirect address: https://evil.example/out';
      const recorded = async (work: () => Promise<unknown>): Promise<void> => {
        const events = await eventsDuring(server(), work);
        const [event] = events.filter(({ action }) => action === 'configuration_error');
        expect(event?.context).toMatchObject({
          post_logout_redirect_uri: evil,
          application: { name: party.application.name },
          provider: { name: party.provider.name },
        });
        expect(event?.context).not.toHaveProperty('redirect_uri');
      };
      // By the ID token, and through the flow for signing out.
      await recorded(async () => {
        const browser = await visitor(server());
        const { tokens } = await signInTo(server(), party, browser);
        const query = new URLSearchParams({ id_token_hint: tokens.id_token ?? '', post_logout_redirect_uri: evil });
        const { status, text } = await browser.visit(`${path}?${query}`);
        expect([status, text]).toEqual([200, expect.stringContaining(shown)]);
        expect(text).not.toContain('href="https://evil');
        expect(await isSignedIn(browser.session)).toBe(false);
      });
      // After a confirmation; the page that asks records nothing yet.
      await recorded(async () => {
        const browser = await visitor(server());
        let page = await browser.visit(`${path}?${new URLSearchParams({ post_logout_redirect_uri: evil })}`);
        expect(page.text).toContain('Do you want to sign out?');
        page = await browser.visit(path, asForm(fieldsOf(page.text)));
        expect([page.status, page.text]).toEqual([200, expect.stringContaining(shown)]);
      });
      // A user who is signed out already.
      await recorded(async () => {
        const { text } = await stranger(server()).visit(
          `${path}?${new URLSearchParams({ post_logout_redirect_uri: evil })}`,
        );
        expect(text).toContain(shown);
      });
      const [last] = (await server().admin.get('/events/events/?action=configuration_error')).body.results;
      expect(last.sentence).toBe(
        `The redirect URI of a request to sign out of ${party.application.name} is not registered.`,
      );
    });

    test('oidcc-rp-initiated-logout-bad-post-logout-redirect-uri: no user is sent to a place that is not registered', async () => {
      const party = await makeRelyingParty(server(), { post_logout_redirect_uris: strict(goodbye) });
      for (const post_logout_redirect_uri of [
        'https://evil.example/',
        `${goodbye}.evil.example`,
        'javascript:alert(1)',
      ]) {
        const browser = await visitor(server());
        const { tokens } = await signInTo(server(), party, browser);
        const query = new URLSearchParams({ id_token_hint: tokens.id_token ?? '', post_logout_redirect_uri });
        const { status, location } = await browser.visit(`/application/o/${party.slug}/end-session/?${query}`);
        expect([status, location]).toEqual([200, null]);
      }
    });

    test('oidcc-rp-initiated-logout-no-id-token-hint: people are asked, and only their own form signs them out', async () => {
      const party = await makeRelyingParty(server(), { post_logout_redirect_uris: strict(goodbye) });
      const browser = await visitor(server());
      const path = `/application/o/${party.slug}/end-session/`;
      const query = new URLSearchParams({ post_logout_redirect_uri: goodbye });
      const asked = await browser.visit(`${path}?${query}`);
      expect([asked.status, asked.location]).toEqual([200, null]);
      expect(await isSignedIn(browser.session)).toBe(true);
      const { proof: _, ...forged } = fieldsOf(asked.text);
      const other = await visitor(server());
      const foreign = fieldsOf((await other.visit(`${path}?${query}`)).text);
      for (const fields of [forged, { ...forged, proof: 'x' }, foreign]) await browser.visit(path, asForm(fields));
      expect(await isSignedIn(browser.session)).toBe(true);
      const { location } = await browser.visit(path, asForm(fieldsOf(asked.text)));
      expect(location?.href).toBe(goodbye);
      expect(await isSignedIn(browser.session)).toBe(false);
    });

    test('oidcc-rp-initiated-logout-modified-id-token-hint: a hint of another session or signature does not sign out', async () => {
      const party = await makeRelyingParty(server());
      const [one, other] = [await visitor(server()), await visitor(server())];
      const { tokens } = await signInTo(server(), party, other);
      const hint = tokens.id_token ?? '';
      const broken = `${hint.slice(0, -8)}AAAAAAAA`;
      for (const id_token_hint of [hint, broken, 'x', `${hint.split('.')[0]}.${hint.split('.')[1]}.`]) {
        await one.visit(`/application/o/${party.slug}/end-session/?${new URLSearchParams({ id_token_hint })}`);
        expect(await isSignedIn(one.session)).toBe(true);
      }
    });

    test.each(['message', 'continue'])(
      'a flow of the brand that denies with %s keeps no user signed in',
      async (denied_action) => {
        const { admin } = server();
        const { body: brands } = await admin.get('/core/brands/');
        const { brand_uuid, flow_invalidation } = brands.results[0];
        const walk = await makeWalk(server(), [['deny']], { designation: 'invalidation', denied_action });
        const party = await makeRelyingParty(server());
        const browser = await visitor(server());
        const { tokens } = await signInTo(server(), party, browser);
        const hint = new URLSearchParams({ id_token_hint: tokens.id_token ?? '' });
        await admin.patch(`/core/brands/${brand_uuid}/`, { flow_invalidation: walk.pk });
        try {
          const { text } = await browser.visit(`/application/o/${party.slug}/end-session/?${hint}`);
          expect([text.includes('You are signed out'), await isSignedIn(browser.session)]).toEqual([true, false]);
        } finally {
          await admin.patch(`/core/brands/${brand_uuid}/`, { flow_invalidation });
        }
      },
    );

    test('the flow of the provider runs in place of that of the brand, and leads back to the client', async () => {
      const { admin } = server();
      const walk = await makeWalk(server(), [['consent', { mode: 'always_require' }]], { designation: 'invalidation' });
      const party = await makeRelyingParty(server(), {
        post_logout_redirect_uris: strict(goodbye),
        invalidation_flow: walk.pk,
      });
      const browser = await visitor(server());
      const { tokens } = await signInTo(server(), party, browser);
      const hint = { id_token_hint: tokens.id_token ?? '', post_logout_redirect_uri: goodbye };
      const sent = await browser.visit(`/application/o/${party.slug}/end-session/?${new URLSearchParams(hint)}`);
      expect(sent.location?.pathname).toBe(`/if/flow/${walk.slug}/`);
      const query = sent.location?.search.slice(1);
      const { token } = await browser.answerStep(walk.slug, undefined, query);
      const { to } = await browser.answerStep(walk.slug, { token }, query);
      expect([(await browser.visit(to)).location?.href, await isSignedIn(browser.session)]).toEqual([goodbye, false]);
      expect((await admin.delete(`/flows/instances/${walk.slug}/`)).status).toBe(204);
      const { body } = await admin.get(`/providers/oauth2/${party.provider.pk}/`);
      expect(body.invalidation_flow).toBe(null);
    });

    test('oidcc-rp-initiated-logout-no-params: strangers see that they are signed out', async () => {
      const { status, text } = await stranger(server()).visit('/application/o/end-session/');
      expect(status).toBe(200);
      expect(text).toContain('You are signed out');
    });

    test('oidcc-frontchannel-rp-initiated-logout: the browser tells clients by loading their address', async () => {
      const party = await makeRelyingParty(server(), {
        frontchannel_logout_uri: 'https://app.example/frontchannel?a=b',
      });
      const browser = await visitor(server());
      const { tokens } = await signInTo(server(), party, browser);
      const query = new URLSearchParams({ id_token_hint: tokens.id_token ?? '' });
      const { text, headers } = await browser.visit(`/application/o/${party.slug}/end-session/?${query}`);
      const [, src = ''] = /<iframe src="([^"]+)"/.exec(text) ?? [];
      const url = new URL(src.replaceAll('&amp;', '&'));
      expect(url.searchParams.get('sid')).toBe(tokens.claims()?.sid);
      expect(url.searchParams.get('a')).toBe('b');
      expect(headers.get('content-security-policy')).toContain('frame-src https://app.example;');
    });

    test('oidcc-backchannel-rp-initiated-logout: clients get a logout token, however the session ends', async () => {
      const party = await makeRelyingParty(server(), { backchannel_logout_uri: receiverUrl });
      const ends: ((browser: Awaited<ReturnType<typeof visitor>>, hint: string) => Promise<unknown>)[] = [
        (browser, id_token_hint) =>
          browser.visit(`/application/o/${party.slug}/end-session/?${new URLSearchParams({ id_token_hint })}`),
        ({ session }) => server().admin.delete(`/core/authenticated_sessions/${session}/`),
        ({ person }) =>
          server().admin.post(`/core/users/${person.pk}/set_password/`, { password: 'another one of theirs' }),
        ({ person }) => server().admin.patch(`/core/users/${person.pk}/`, { is_active: false }),
        async ({ session }) => {
          const { db } = server().world;
          await db.write((tx) => sql`delete from authenticated_sessions where pk = ${session}`.execute(tx));
          // It ran out: nothing was written down, and it is found out by and by.
          await db.write((tx) => server().app.jobs.enqueue(tx, { kind: 'oauth2_find_ended_sessions' }));
        },
      ];
      for (const end of ends) {
        receiver.tokens.length = 0;
        const browser = await visitor(server());
        const { tokens } = await signInTo(server(), party, browser);
        await end(browser, tokens.id_token ?? '');
        await until(() => receiver.tokens.length > 0);
        const keys = await stranger(server()).visit(`/application/o/${party.slug}/jwks/`);
        const { payload, protectedHeader } = await jwtVerify(
          receiver.tokens[0] ?? '',
          createLocalJWKSet(JSON.parse(keys.text)),
          { audience: party.clientId, issuer: tokens.claims()?.iss as string },
        );
        expect(protectedHeader.typ).toBe('logout+jwt');
        expect(payload.sid).toBe(tokens.claims()?.sid);
        expect(payload.sub).toBe(tokens.claims()?.sub);
        expect(payload.events).toEqual({ 'http://schemas.openid.net/event/backchannel-logout': {} });
        expect(payload.nonce).toBeUndefined();
      }
    });

    test('a client that still has the previous secret of two gets a logout token that it can verify', async () => {
      const received: string[] = [];
      let secret = '';
      const client = createServer(async (request, response) => {
        let text = '';
        for await (const chunk of request) text += chunk;
        const token = new URLSearchParams(text).get('logout_token') ?? '';
        const isOurs = await jwtVerify(token, new TextEncoder().encode(secret)).then(
          () => true,
          () => false,
        );
        received.push(isOurs ? 'verified' : 'refused');
        response.writeHead(isOurs ? 200 : 400).end();
      });
      await new Promise<void>((done) => client.listen(0, '127.0.0.1', done));
      try {
        const party = await makeRelyingParty(server(), {
          signing_key: null,
          id_token_signed_response_alg: 'HS256',
          backchannel_logout_uri: `http://127.0.0.1:${(client.address() as AddressInfo).port}/`,
        });
        secret = party.clientSecret;
        const browser = await visitor(server());
        const { location } = await browser.authorize(asked(party));
        const code = location?.searchParams.get('code') ?? '';
        const fields = { grant_type: 'authorization_code', code, redirect_uri: callback };
        const authorization = basicHeader(party.clientId, secret);
        expect((await post(server(), 'token', fields, { authorization })).status).toBe(200);
        await server().admin.post(`/providers/oauth2/${party.provider.pk}/rotate_secret/`, {});
        await server().admin.delete(`/core/authenticated_sessions/${browser.session}/`);
        await until(() => received.length > 1);
        expect(received).toEqual(['refused', 'verified']);
      } finally {
        client.close();
      }
    });
  },
  { env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.0/8' } },
);
