import { createHash, createPublicKey } from 'node:crypto';
import { type JWK, SignJWT } from 'jose';
import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { eventsDuring } from '../../support/events.ts';
import { planTokenIn } from '../../support/find-plan.ts';
import { runJob } from '../../support/jobs.ts';
import { bindExpression, made, makeWalk, unique } from '../../support/make-walk.ts';
import { appFrom, step } from '../../support/second-factor.ts';
import { describeOnSqlite } from '../../support/server.ts';
import { json, loopbackAllowed } from '../../support/service.ts';
import { signedInBrowser } from '../../support/signed-in-browser.ts';
import { clientId, startOpenId } from './openid-service.ts';
import { openIdWalk } from './openid-walk.ts';
import { comeBack, depart, formOn, newBrowser, saidOn, throughFlow, visit } from './visitor.ts';

const peer = await startOpenId();
beforeEach(() => peer.reset());
afterAll(() => peer.close());

const known = () => ({ sub: unique('sub'), preferred_username: unique('person'), name: 'Person' });
const done = { component: 'xak-flow-redirect', to: '/if/user/' };

describeOnSqlite(
  'an OpenID source',
  (server) => {
    const { source, arrive, connectionsOf, me, linkedUser } = openIdWalk(server, peer);

    test('asks for authorization with state, nonce and PKCE S256, and keeps them to itself', async () => {
      const { slug } = await source({ additional_scopes: 'groups email' });
      const asked = await depart(server(), newBrowser(server()), slug, '?login_hint=ada');
      expect(Object.fromEntries(asked.searchParams)).toEqual({
        client_id: clientId,
        redirect_uri: `${server().world.config.publicUrl}/source/oauth/callback/${slug}/`,
        response_type: 'code',
        scope: 'email groups openid profile',
        state: expect.stringMatching(/^[\w-]{43}$/),
        nonce: expect.stringMatching(/^[\w-]{43}$/),
        code_challenge: expect.stringMatching(/^[\w-]{43}$/),
        code_challenge_method: 'S256',
        login_hint: 'ada',
      });
    });

    test('a leading star replaces the scopes of the type', async () => {
      const { slug } = await source({ additional_scopes: '*openid b a' });
      expect((await depart(server(), newBrowser(server()), slug)).searchParams.get('scope')).toBe('a b openid');
    });

    test('enrols, links and signs in a new user, and only signs in the second time', async () => {
      const { slug, pk } = await source();
      peer.person = { ...known(), email: `${unique('mail')}@example.com`, email_verified: true };
      peer.token = { refresh_token: 'rt-1' };
      const browser = newBrowser(server());
      const events = await eventsDuring(server(), async () => {
        const page = await arrive(slug, browser, '?next=/if/user/%23/applications');
        expect(await throughFlow(browser, page)).toEqual({ ...done, to: '/if/user/#/applications' });
      });
      expect(events.map(({ action }) => action)).toEqual(['user_write', 'login', 'source_linked']);
      expect(events[1]?.context).toMatchObject({ auth_method: 'source', auth_method_args: { source: { slug } } });
      const user = await me(browser);
      expect(user).toMatchObject({ username: peer.person.preferred_username, email: peer.person.email });
      expect(await connectionsOf(slug)).toMatchObject([{ user: user.pk, identifier: peer.person.sub }]);
      const { rows } = await sql<Record<string, string>>`select c.access_token, c.refresh_token, c.expires
        from user_connection_oauth c
        join user_source_connections u on u.pk = c.pk where u.source = ${pk}`.execute(server().world.db.read);
      expect(JSON.stringify(rows)).not.toMatch(/at-1|rt-1/);
      expect(Object.values(rows[0] ?? {}).every((value) => value !== null)).toBe(true);
      const again = newBrowser(server());
      const second = await eventsDuring(server(), async () => {
        expect(await throughFlow(again, await arrive(slug, again))).toEqual(done);
      });
      expect(second.map(({ action }) => action)).toEqual(['login']);
      expect((await me(again)).pk).toBe(user.pk);
    });

    test('authenticates at the token endpoint by one method, and sends the bearer in the header only', async () => {
      for (const [methods, isBasic] of [
        [undefined, true],
        [['client_secret_post'], false],
        [['client_secret_basic', 'client_secret_post'], true],
      ] as const) {
        peer.configuration = { token_endpoint_auth_methods_supported: methods };
        const { slug } = await source();
        peer.requests.length = 0;
        await arrive(slug);
        const token = peer.requests.find(({ path }) => path === '/token');
        const form = new URLSearchParams(token?.body);
        expect([form.has('client_secret'), token?.headers.authorization?.startsWith('Basic ') ?? false]).toEqual([
          !isBasic,
          isBasic,
        ]);
        expect(form.get('code_verifier')).toMatch(/^[\w-]{43}$/);
        const profile = peer.requests.find(({ path }) => path.startsWith('/userinfo'));
        expect([profile?.path, profile?.headers.authorization]).toEqual(['/userinfo', 'Bearer at-1']);
      }
    });

    describe('verifies the ID token:', () => {
      const hour = 3600;
      const seconds = () => Math.floor(Date.now() / 1000);
      test.each<[string, () => void, string]>([
        ['another issuer', () => (peer.claims = { iss: 'https://evil.example' }), 'another issuer made it'],
        ['another audience', () => (peer.claims = { aud: 'somebody-else' }), 'claim aud is wrong'],
        ['two audiences without azp', () => (peer.claims = { aud: [clientId, 'x'] }), 'another client'],
        ['the azp of another client', () => (peer.claims = { azp: 'x' }), 'another client'],
        ['another nonce', () => (peer.claims = { nonce: 'x' }), 'another sign-in'],
        ['no nonce', () => (peer.claims = { nonce: undefined }), 'another sign-in'],
        ['that has expired', () => (peer.claims = { exp: seconds() - hour }), 'it has expired'],
        ['without an expiry', () => (peer.claims = { exp: undefined }), 'claim exp is wrong'],
        ['from the future', () => (peer.claims = { nbf: seconds() + hour }), 'claim nbf is wrong'],
        ['without a subject', () => (peer.claims = { sub: undefined }), 'claim sub is wrong'],
        ['a key that is not published', () => (peer.header = { kid: 'unknown' }), 'its key is unknown'],
        ['older than ten minutes', () => (peer.claims = { iat: seconds() - 700 }), 'it is too old'],
        ['that was issued in the future', () => (peer.claims = { iat: seconds() + 300 }), 'claim iat is wrong'],
        ['a subject that is not a text', () => (peer.claims = { sub: 7 }), 'claim sub'],
        ['that of another access token', () => (peer.claims = { at_hash: 'x'.repeat(22) }), 'at_hash'],
        ['none at all', () => (peer.token = { id_token: undefined }), 'it sent none'],
        ['no JWT', () => (peer.token = { id_token: 'x.y' }), 'it cannot be read'],
        ['an unsigned one', () => (peer.token = { id_token: unsigned() }), 'signature is wrong'],
        [
          'one with the public key for a secret',
          () => (peer.override['/token'] = async () => json({ access_token: 'a', id_token: await byPublicKey() })),
          'signature is wrong',
        ],
        [
          'an algorithm that is not published',
          () => {
            peer.configuration = { id_token_signing_alg_values_supported: ['RS256'] };
          },
          'signature is wrong',
        ],
      ])('%s is refused', async (_name, lie, words) => {
        peer.person = known();
        // Before the source is made: what is published is read as soon as it is.
        lie();
        const { slug } = await source();
        const browser = newBrowser(server());
        const page = await arrive(slug, browser);
        expect(page.status).toBe(400);
        expect(saidOn(page)).toMatch(/could not be verified/);
        expect(saidOn(page)).toContain(words);
        expect(saidOn(page)).toMatch(/Request id: [\da-f]{32}.*Back to sign in/);
        expect(await connectionsOf(slug)).toEqual([]);
        expect(planTokenIn(browser.cookies)).toBe('');
      });
      const unsigned = () => {
        const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
        return `${part({ alg: 'none' })}.${part({ iss: peer.url, sub: 'x', aud: clientId })}.`;
      };
      const byPublicKey = async () => {
        const { keys } = (await (await fetch(`${peer.url}/jwks`)).json()) as { keys: [JWK & { kid: string }] };
        const [key] = keys;
        const pem = createPublicKey({ key, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
        const claims = { iss: peer.url, sub: 'x', aud: clientId, exp: seconds() + hour };
        const header = { alg: 'HS256', kid: key.kid };
        return new SignJWT(claims).setProtectedHeader(header).sign(Buffer.from(pem));
      };

      test('the at_hash of the access token is accepted', async () => {
        const { slug } = await source();
        peer.person = known();
        peer.claims = { at_hash: createHash('sha256').update('at-1').digest().subarray(0, 16).toString('base64url') };
        expect((await arrive(slug)).status).toBe(302);
      });

      test('a rotated key is fetched at once', async () => {
        // An address of its own: keys that are missing are looked for at most every half minute.
        peer.configuration = { jwks_uri: `${peer.url}/jwks?${unique('set')}` };
        const { slug } = await source();
        peer.person = known();
        expect((await arrive(slug)).status).toBe(302);
        await peer.rotate();
        expect((await arrive(slug)).status).toBe(302);
      });

      test('stored keys serve while the key set cannot be fetched', async () => {
        const { slug, pk } = await source();
        await runJob(server(), 'oauth_source_refresh', { source: pk });
        peer.override['/jwks'] = () => 'cut';
        peer.person = known();
        expect((await arrive(slug)).status).toBe(302);
      });

      test('a profile of another user is refused', async () => {
        const { slug } = await source();
        peer.person = known();
        for (const sub of ['another', undefined]) {
          peer.userinfo = { sub };
          const page = await arrive(slug);
          expect([page.status, saidOn(page)]).toEqual([400, expect.stringContaining('is not that of the person')]);
        }
      });
    });

    test.each([[''], ['  '], [null], [{}], [[]], [1.5], ['x'.repeat(300)]])(
      'refuses an identifier that identifies no user: %j',
      async (sub) => {
        const { slug } = await source();
        peer.person = { ...known(), sub };
        const page = await arrive(slug);
        expect(page.status).toBe(400);
        expect(await connectionsOf(slug)).toEqual([]);
      },
    );

    describe('a visit', () => {
      test('is completed once, and a second answer is refused', async () => {
        const { slug } = await source();
        peer.person = known();
        const browser = newBrowser(server());
        const asked = await depart(server(), browser, slug);
        await peer.prepare(asked.searchParams.get('nonce') ?? '');
        const answer = { code: 'c', state: asked.searchParams.get('state') ?? '' };
        expect((await comeBack(server(), browser, slug, answer)).status).toBe(302);
        peer.requests.length = 0;
        const second = await comeBack(server(), browser, slug, answer);
        expect([second.status, saidOn(second)]).toEqual([400, expect.stringContaining('was already used')]);
        expect(peer.requests.filter(({ path }) => path === '/token')).toEqual([]);
      });

      test('belongs to the browser, the source and the state it began with', async () => {
        const { slug } = await source();
        const other = await source();
        const browser = newBrowser(server());
        const stranger = newBrowser(server());
        await depart(server(), stranger, slug);
        const state = (await depart(server(), browser, slug)).searchParams.get('state') ?? '';
        peer.requests.length = 0;
        const tries = [
          await comeBack(server(), newBrowser(server()), slug, { code: 'c', state }),
          await comeBack(server(), stranger, slug, { code: 'c', state }),
          await comeBack(server(), browser, other.slug, { code: 'c', state }),
          await comeBack(server(), browser, slug, { code: 'c', state: 'made-up' }),
          await comeBack(server(), browser, slug, { code: 'c' }),
          await visit(server(), browser, `/source/oauth/callback/${slug}/?code=c&state=${state}&state=x`),
        ];
        expect(tries.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400, 400]);
        expect(peer.requests.filter(({ path }) => path === '/token')).toEqual([]);
      });

      test('is refused when a user has signed in meanwhile', async () => {
        const { slug } = await source();
        const browser = newBrowser(server());
        const state = (await depart(server(), browser, slug)).searchParams.get('state') ?? '';
        const signedIn = await signedInBrowser(server(), (await server().user()).pk);
        for (const [name, value] of signedIn.cookies) browser.cookies.set(name, value);
        const page = await comeBack(server(), browser, slug, { code: 'c', state });
        expect([page.status, saidOn(page)]).toEqual([400, expect.stringContaining('in the meantime')]);
      });

      test('of another user is not taken up, although their cookie was planted, to link their account', async () => {
        const { slug } = await source();
        peer.person = known();
        const attacker = await signedInBrowser(server(), (await server().user()).pk);
        for (const theirs of [newBrowser(server()), attacker]) {
          const asked = await depart(server(), theirs, slug);
          await peer.prepare(asked.searchParams.get('nonce') ?? '');
          const victim = await signedInBrowser(server(), (await server().user()).pk);
          victim.cookies.set('gatehouse_source', theirs.cookies.get('gatehouse_source') ?? '');
          const page = await comeBack(server(), victim, slug, {
            code: 'c',
            state: asked.searchParams.get('state') ?? '',
          });
          expect([page.status, saidOn(page)]).toEqual([400, expect.stringContaining('in the meantime')]);
        }
        expect(await connectionsOf(slug)).toEqual([]);
      });

      test('redirects only to local paths', async () => {
        const { slug } = await source();
        for (const next of ['https://evil.example/', '//evil.example', '/\\evil.example', 'javascript:alert(1)']) {
          peer.person = known();
          const browser = newBrowser(server());
          const page = await arrive(slug, browser, `?next=${encodeURIComponent(next)}`);
          expect(await throughFlow(browser, page)).toEqual(done);
        }
      });

      test('is stored a limited number of times per network', async () => {
        const { slug } = await source();
        for (let i = 0; i < 205; i += 1) await depart(server(), newBrowser(server()), slug);
        const { rows } = await sql<{ count: number }>`select count(*) as count from source_visits`.execute(
          server().world.db.read,
        );
        expect(Number(rows[0]?.count)).toBeLessThanOrEqual(200);
      });

      test('shows the error of the other side, escaped', async () => {
        const { slug } = await source();
        const browser = newBrowser(server());
        const state = (await depart(server(), browser, slug)).searchParams.get('state') ?? '';
        const page = await comeBack(server(), browser, slug, {
          state,
          error: 'access_denied',
          error_description: '<script>alert(1)</script> you said no',
        });
        expect([page.status, page.text.includes('<script>')]).toEqual([400, false]);
        expect(saidOn(page)).toContain('you said no');
      });

      // RFC 9207 §2.4
      test('is refused without an issuer where the service says that it names itself', async () => {
        peer.configuration = { authorization_response_iss_parameter_supported: true };
        const { slug } = await source();
        const answered = async (more: Record<string, string>) => {
          const browser = newBrowser(server());
          const { searchParams } = await depart(server(), browser, slug);
          await peer.prepare(searchParams.get('nonce') ?? '');
          const page = await comeBack(server(), browser, slug, {
            state: searchParams.get('state') ?? '',
            code: 'c',
            ...more,
          });
          return [page.status, saidOn(page).includes('does not come from')];
        };
        expect(await answered({})).toEqual([400, true]);
        expect(await answered({ iss: peer.url })).toEqual([302, false]);
      });

      test('is refused when another issuer answers', async () => {
        const { slug } = await source();
        const browser = newBrowser(server());
        const state = (await depart(server(), browser, slug)).searchParams.get('state') ?? '';
        const page = await comeBack(server(), browser, slug, { state, code: 'c', iss: 'https://evil.example' });
        expect([page.status, saidOn(page)]).toEqual([400, expect.stringContaining('does not come from')]);
      });
    });

    describe('matching', () => {
      test.each([
        [true, true],
        ['true', true],
        [false, false],
        [undefined, false],
        ['yes', false],
        [1, false],
      ])('an address links only when the other side vouches for it (email_verified: %j)', async (verified, links) => {
        const { slug } = await source({ user_matching_mode: 'email_link' });
        const email = `${unique('mail')}@example.com`;
        const user = await server().user([], { email });
        peer.person = { ...known(), email, email_verified: verified };
        const browser = newBrowser(server());
        const page = await arrive(slug, browser);
        expect(page.status).toBe(links ? 302 : 403);
        if (!links) return expect(saidOn(page)).toContain('has been denied');
        await throughFlow(browser, page);
        expect((await me(browser)).pk).toBe(user.pk);
      });

      test('superusers are not matched by name', async () => {
        const { slug } = await source({ user_matching_mode: 'username_link' });
        peer.person = { ...known(), preferred_username: 'admin' };
        const { body } = await server().admin.get('/core/users/me/');
        peer.person.preferred_username = body.user.username;
        expect((await arrive(slug)).status).toBe(403);
      });

      test('inactive users are refused', async () => {
        const { slug, pk } = await source();
        peer.person = known();
        const user = await linkedUser(pk, peer.person.sub as string);
        await server().admin.patch(`/core/users/${user.pk}/`, { is_active: false });
        expect((await arrive(slug)).status).toBe(403);
      });

      test('groups of the claim are joined, and what is no text is left out and reported', async () => {
        const { slug } = await source();
        const group = unique('group');
        peer.person = { ...known(), groups: [group, 7, null, {}] };
        const browser = newBrowser(server());
        const events = await eventsDuring(server(), async () => {
          expect(await throughFlow(browser, await arrive(slug, browser))).toEqual(done);
        });
        const reported = events.filter(({ action }) => action === 'configuration_error');
        expect(reported.map(({ context }) => context.message)).toEqual([expect.stringContaining('Skipped 3 groups')]);
        expect((await me(browser)).groups.map(({ name }: { name: string }) => name)).toEqual([group]);
      });

      test('a failing mapping is told by a page, and leaves nothing behind', async () => {
        const mapping = await made(server(), '/propertymappings/source/oauth/', {
          name: unique('mapping'),
          expression: 'throw new Error("broken")',
        });
        const { slug } = await source({ user_property_mappings: [mapping.pk] });
        peer.person = known();
        const page = await arrive(slug);
        expect([page.status, saidOn(page)]).toEqual([400, expect.stringContaining('property mappings')]);
      });

      test('a source without an enrolment flow shows an error', async () => {
        const { slug } = await source({ enrollment_flow: null });
        peer.person = known();
        const page = await arrive(slug);
        expect([page.status, saidOn(page)]).toEqual([400, expect.stringContaining('not configured for enrollment')]);
      });
    });

    describe('a user who is signed in', () => {
      test('links their account, and renews it the second time', async () => {
        const { slug } = await source();
        peer.person = known();
        const user = await server().user();
        const browser = await signedInBrowser(server(), user.pk);
        const events = await eventsDuring(server(), async () => {
          expect((await arrive(slug, browser, '?link')).location).toBe('/if/user/connections/');
        });
        expect(events.map(({ action }) => action)).toEqual(['source_linked']);
        expect(await connectionsOf(slug)).toMatchObject([{ user: user.pk, identifier: peer.person.sub }]);
        const again = await arrive(slug, browser, '?link');
        expect([again.status, saidOn(again)]).toEqual([200, expect.stringContaining('Already connected')]);
        expect(await connectionsOf(slug)).toHaveLength(1);
      });

      test('is not switched to the user to whom the account belongs', async () => {
        const { slug, pk } = await source();
        peer.person = known();
        const other = await linkedUser(pk, peer.person.sub as string);
        const user = await server().user();
        const browser = await signedInBrowser(server(), user.pk);
        const page = await arrive(slug, browser, '?link');
        expect([page.status, saidOn(page)]).toEqual([400, expect.stringContaining('is linked to another user')]);
        expect((await me(browser)).pk).toBe(user.pk);
        expect(await connectionsOf(slug)).toMatchObject([{ user: other.pk }]);
      });

      test('is asked first, and submits a form that was made for their session', async () => {
        const { slug } = await source();
        const login = `/source/oauth/login/${slug}/`;
        const browser = await signedInBrowser(server(), (await server().user()).pk);
        const headers = { 'sec-fetch-site': 'same-origin' };
        const asked = await visit(server(), browser, `${login}?link`, { headers });
        expect([asked.status, saidOn(asked)]).toEqual([200, expect.stringContaining('Connect Source')]);
        const { members } = formOn(asked);
        const other = await signedInBrowser(server(), (await server().user()).pk);
        for (const [who, form] of [
          [browser, { ...members, proof: '' }],
          [other, members],
        ] as const) {
          const again = await visit(server(), who, login, { headers, form });
          expect([again.status, saidOn(again)]).toEqual([200, expect.stringContaining('Connect Source')]);
        }
        const query = new URLSearchParams(members);
        expect((await visit(server(), browser, `${login}?${query}`, { headers })).status).toBe(200);
        const proven = await visit(server(), browser, login, { form: members });
        expect([proven.status, proven.location.startsWith(`${peer.url}/authorize`)]).toEqual([302, true]);
      });

      test('links nothing unless they came to link', async () => {
        const { slug } = await source();
        peer.person = known();
        const browser = await signedInBrowser(server(), (await server().user()).pk);
        const page = await arrive(slug, browser);
        expect([page.status, saidOn(page)]).toEqual([400, expect.stringContaining('not as the owner')]);
        expect(await connectionsOf(slug)).toEqual([]);
      });

      test('proves again who they are', async () => {
        const { slug, pk } = await source();
        peer.person = known();
        const user = await linkedUser(pk, peer.person.sub as string);
        const browser = await signedInBrowser(server(), user.pk, { isProven: false });
        const create = () => browser.post('/core/tokens/', { identifier: unique('token') });
        expect((await create()).body.code).toBe('recent_authentication_required');
        expect((await depart(server(), browser, slug)).searchParams.get('prompt')).toBe('login');
        expect(await throughFlow(browser, await arrive(slug, browser, '?next=/if/user/'))).toMatchObject(done);
        expect((await create()).status).toBe(201);
        expect((await me(browser)).pk).toBe(user.pk);
      });
    });

    describe('policies bound to the source', () => {
      test('are asked for the button, at the login address and when a user comes back', async () => {
        const { slug, pk } = await source();
        const walk = await makeWalk(server(), [['identification', { user_fields: ['username'], sources: [pk] }]]);
        const offered = async () => (await newBrowser(server()).show(walk.slug)).body.sources;
        expect(await offered()).toMatchObject([
          {
            challenge: { component: 'xak-flow-redirect', to: `/source/oauth/login/${slug}/` },
            icon_url: '/static/sources/oauth/openidconnect.svg',
          },
        ]);
        const browser = newBrowser(server());
        const asked = await depart(server(), browser, slug);
        await peer.prepare(asked.searchParams.get('nonce') ?? '');
        await bindExpression(server(), pk, 'return false');
        expect(await offered()).toEqual([]);
        const refused = await visit(server(), newBrowser(server()), `/source/oauth/login/${slug}/`);
        expect([refused.status, saidOn(refused)]).toEqual([403, expect.stringContaining('Access denied.')]);
        const state = asked.searchParams.get('state') ?? '';
        expect((await comeBack(server(), browser, slug, { code: 'c', state })).status).toBe(403);
      });

      test('that depend on who a user is are decided when that is known', async () => {
        const { slug, pk } = await source();
        peer.person = known();
        const user = await linkedUser(pk, peer.person.sub as string);
        const group = await made(server(), '/core/groups/', { name: unique('group') });
        await made(server(), '/policies/bindings/', { target: pk, group: group.pk, order: 0 });
        expect((await arrive(slug)).status).toBe(403);
        await server().admin.patch(`/core/groups/${group.pk}/`, { users: [user.pk] });
        expect((await arrive(slug)).status).toBe(302);
      });
    });

    test('a source that is unknown or disabled lets no user leave or come back', async () => {
      const { slug } = await source();
      const browser = newBrowser(server());
      const state = (await depart(server(), browser, slug)).searchParams.get('state') ?? '';
      await server().admin.patch(`/sources/oauth/${slug}/`, { enabled: false });
      for (const path of [`login/${slug}`, `callback/${slug}`, 'login/none', 'callback/none']) {
        const page = await visit(server(), browser, `/source/oauth/${path}/?code=c&state=${state}`);
        expect([path, page.status, saidOn(page)]).toEqual([path, 404, expect.stringMatching(/Request id/)]);
      }
    });

    test('a second factor is asked of whoever has a device', async () => {
      const { slug, pk } = await source();
      peer.person = known();
      const user = await linkedUser(pk, peer.person.sub as string);
      const owner = await signedInBrowser(server(), user.pk);
      const setup = 'default-authenticator-totp-setup';
      const app = appFrom(server(), owner, (await owner.show(setup)).body.config_url);
      await owner.answer(setup, { code: app.code(-step) });
      const browser = newBrowser(server());
      expect((await throughFlow(browser, await arrive(slug, browser))).component).toBe(
        'xak-stage-authenticator-validate',
      );
      expect((await browser.get('/core/users/me/')).status).toBe(403);
    });

    describe('the source stage', () => {
      const place = async (pk: string) => makeWalk(server(), [['source', { source: pk }], ['user_login']]);

      test('sends people out and takes the same walk up again', async () => {
        const { slug, pk } = await source();
        peer.person = known();
        const user = await linkedUser(pk, peer.person.sub as string);
        const walk = await place(pk);
        const browser = newBrowser(server());
        const out = (await browser.show(walk.slug, 'next=/if/user/%23/x')).body;
        expect(out).toMatchObject({ component: 'xak-flow-redirect', to: expect.stringMatching(/ticket=/) });
        // Neither an empty answer nor asking again passes the stage.
        expect((await browser.answer(walk.slug, {})).body).toEqual(out);
        const page = await arrive(slug, browser, out.to.slice(out.to.indexOf('?')));
        expect(page.location).toBe(`/if/flow/${walk.slug}/?next=${encodeURIComponent('/if/user/#/x')}`);
        expect((await browser.show(walk.slug)).body).toMatchObject({ ...done, to: '/if/user/#/x' });
        expect((await me(browser)).pk).toBe(user.pk);
      });

      test('refuses an answer from another browser', async () => {
        const { slug, pk } = await source();
        peer.person = known();
        await linkedUser(pk, peer.person.sub as string);
        const walk = await place(pk);
        const attacker = newBrowser(server());
        const out = (await attacker.show(walk.slug)).body;
        const victim = newBrowser(server());
        expect((await arrive(slug, victim, out.to.slice(out.to.indexOf('?')))).status).toBe(302);
        expect((await attacker.show(walk.slug)).body).toEqual(out);
        await depart(server(), attacker, slug);
        expect((await attacker.show(walk.slug)).body).toEqual(out);
      });

      test('is for the browser that came back, not for one that knows its cookies from before', async () => {
        const { slug, pk } = await source();
        peer.person = known();
        const user = await linkedUser(pk, peer.person.sub as string);
        const walk = await place(pk);
        const attacker = newBrowser(server());
        const out = (await attacker.show(walk.slug)).body;
        const asked = await depart(server(), attacker, slug, out.to.slice(out.to.indexOf('?')));
        const victim = newBrowser(server());
        for (const [name, value] of attacker.cookies) victim.cookies.set(name, value);
        await peer.prepare(asked.searchParams.get('nonce') ?? '');
        await comeBack(server(), victim, slug, { code: 'c', state: asked.searchParams.get('state') ?? '' });
        expect((await attacker.show(walk.slug)).body).toEqual(out);
        expect((await attacker.get('/core/users/me/')).status).toBe(403);
        expect((await victim.show(walk.slug)).body).toMatchObject(done);
        expect((await me(victim)).pk).toBe(user.pk);
      });

      test('accepts only the user whom the flow is about', async () => {
        const { slug, pk } = await source();
        peer.person = known();
        await linkedUser(pk, peer.person.sub as string);
        const walk = await place(pk);
        const browser = await signedInBrowser(server(), (await server().user()).pk);
        const out = (await browser.show(walk.slug)).body;
        await arrive(slug, browser, out.to.slice(out.to.indexOf('?')));
        expect((await browser.show(walk.slug)).body).toMatchObject({
          component: 'xak-stage-access-denied',
          error_message: expect.stringContaining('is linked to another user'),
        });
      });
    });
  },
  { env: { ...loopbackAllowed, GATEHOUSE_PUBLIC_URL: 'http://localhost:8765' } },
);
