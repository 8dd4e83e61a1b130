import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { importSPKI, jwtVerify } from 'jose';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { catalogue } from '../../../src/app/catalogue.ts';
import type { KindLists } from '../../../src/app/kinds.ts';
import { mediasrc } from '../../../src/kinds/sources/mediasrc/mediasrc.ts';
import { oauth } from '../../../src/kinds/sources/oauth/oauth.ts';
import { providerTypes } from '../../../src/kinds/sources/oauth/provider-types.ts';
import { saml } from '../../../src/kinds/sources/saml/saml.ts';
import { scim } from '../../../src/kinds/sources/scim/scim.ts';
import type { GuardedFetch } from '../../../src/platform/fetch/guarded-fetch.ts';
import { findPlan, planTokenIn } from '../../support/find-plan.ts';
import { describeOnSqlite } from '../../support/server.ts';
import { json, loopbackAllowed, type ServiceRequest } from '../../support/service.ts';
import { signInSource } from './make-source.ts';
import { clientId, startOpenId } from './openid-service.ts';
import { comeBack, depart, newBrowser, saidOn, visit } from './visitor.ts';

const peer = await startOpenId();
beforeEach(() => peer.reset());
afterAll(() => peer.close());

/** Every call to a vendor goes to the local server instead, at `/<host><path>`. */
const toPeer = (fetch: GuardedFetch): GuardedFetch =>
  Object.assign(
    (url: string, request?: Parameters<GuardedFetch>[1]) => {
      const { host, pathname, search } = new URL(url);
      return fetch(`${peer.url}/${host}${pathname}${search}`, request);
    },
    { close: () => fetch.close() },
  );

const kinds: KindLists = {
  ...catalogue,
  sources: [mediasrc, (world) => oauth({ ...world, fetch: toPeer(world.fetch) }), saml, scim],
};
const nothing = { name: '9999-nothing', statements: () => [] };

const tenant = '11111111-2222-3333-4444-555555555555';

interface Row {
  readonly type: string;
  readonly values?: Record<string, unknown>;
  /** Claims of the ID token, for those who send one; the profile as the vendor sends it. */
  readonly claims?: Record<string, unknown>;
  readonly profile: unknown;
  /** Calls beside the two that everybody gets. */
  readonly more?: Record<string, unknown>;
  readonly scope: string;
  readonly params?: Record<string, string>;
  readonly auth: 'basic' | 'post';
  readonly identifier: string;
  readonly user: Record<string, unknown>;
  /** Whether the address would link accounts. */
  readonly vouches: boolean;
  readonly profilePath: string;
}

const own = {
  authorization_url: 'https://own.example/authorize',
  access_token_url: 'https://own.example/token',
  profile_url: 'https://own.example/profile',
  oidc_well_known_url: 'https://own.example/.well-known/openid-configuration',
};
const ownPlain = { ...own, oidc_well_known_url: '' };
const mail = 'ada@example.com';

const rows: readonly Row[] = [
  {
    type: 'openidconnect',
    values: own,
    claims: { sub: 's-1' },
    profile: { sub: 's-1', nickname: 'ada', preferred_username: 'x', email: mail, email_verified: true, name: 'Ada' },
    ...{ scope: 'email openid profile', auth: 'basic', identifier: 's-1', vouches: true },
    user: { username: 'ada', email: mail, name: 'Ada' },
    profilePath: '/own.example/profile',
  },
  {
    type: 'okta',
    values: own,
    claims: { sub: 's-2' },
    profile: { sub: 's-2', preferred_username: 'ada', email: mail, name: 'Ada' },
    ...{ scope: 'email openid profile', auth: 'basic', identifier: 's-2', vouches: false },
    user: { username: 'ada', email: '', name: 'Ada' },
    profilePath: '/own.example/profile',
  },
  {
    type: 'azuread',
    claims: { sub: 'pairwise', oid: 'o-1', tid: tenant, iss: `https://login.microsoftonline.com/${tenant}/v2.0` },
    profile: { id: 'o-1', userPrincipalName: 'ada@corp.example', mail: null, otherMails: [mail], displayName: 'Ada' },
    ...{ scope: 'https://graph.microsoft.com/User.Read openid', auth: 'post', identifier: 'o-1', vouches: false },
    user: { username: 'ada@corp.example', email: '', name: 'Ada' },
    profilePath: '/graph.microsoft.com/v1.0/me',
  },
  {
    type: 'discord',
    profile: { id: '80351110224678912', username: 'ada', email: mail, verified: true },
    params: { prompt: 'none' },
    ...{ scope: 'email identify', auth: 'basic', identifier: '80351110224678912', vouches: true },
    user: { username: 'ada', email: mail, name: 'ada' },
    profilePath: '/discord.com/api/users/@me',
  },
  {
    type: 'facebook',
    profile: { id: '1234', name: 'Ada', email: mail },
    ...{ scope: 'email', auth: 'post', identifier: '1234', vouches: false },
    user: { username: 'Ada', email: '', name: 'Ada' },
    profilePath: '/graph.facebook.com/me?fields=id,name,email',
  },
  {
    type: 'github',
    profile: { id: 583231, login: 'ada', name: 'Ada', email: null },
    more: {
      '/api.github.com/user/emails': [
        { email: 'other@example.com', primary: false, verified: true },
        { email: mail, primary: true, verified: true },
      ],
    },
    ...{ scope: 'read:user user:email', auth: 'post', identifier: '583231', vouches: true },
    user: { username: 'ada', email: mail, name: 'Ada' },
    profilePath: '/api.github.com/user',
  },
  {
    type: 'gitlab',
    claims: { sub: '42', iss: 'https://gitlab.com' },
    profile: { sub: '42', preferred_username: 'ada', email: mail, email_verified: true, name: 'Ada' },
    ...{ scope: 'email openid profile read_user', auth: 'post', identifier: '42', vouches: true },
    user: { username: 'ada', email: mail, name: 'Ada' },
    profilePath: '/gitlab.com/oauth/userinfo',
  },
  {
    type: 'google',
    claims: { sub: '1097', iss: 'https://accounts.google.com' },
    profile: { sub: '1097', email: mail, email_verified: true, name: 'Ada' },
    ...{ scope: 'email openid profile', auth: 'post', identifier: '1097', vouches: true },
    user: { username: '', email: mail, name: 'Ada' },
    profilePath: '/openidconnect.googleapis.com/v1/userinfo',
  },
  {
    type: 'mailcow',
    values: ownPlain,
    profile: { success: true, username: mail, id: mail, identifier: mail, email: mail, full_name: 'Ada', active: 1 },
    ...{ scope: 'profile', auth: 'post', identifier: mail, vouches: true },
    user: { username: 'Ada', email: mail, name: 'Ada' },
    profilePath: '/own.example/profile',
  },
  {
    type: 'oauth2',
    values: { ...ownPlain, additional_scopes: 'me' },
    profile: { id: 42, login: 'ada', email: mail, email_verified: true, name: 'Ada' },
    ...{ scope: 'me', auth: 'basic', identifier: '42', vouches: true },
    user: { username: 'ada', email: mail, name: 'Ada' },
    profilePath: '/own.example/profile',
  },
  {
    type: 'patreon',
    profile: {
      data: {
        id: '77',
        type: 'user',
        attributes: { vanity: 'ada', email: mail, full_name: 'Ada', is_email_verified: true },
      },
    },
    ...{ scope: 'identity identity[email]', auth: 'post', identifier: '77', vouches: true },
    user: { username: 'ada', email: mail, name: 'Ada' },
    profilePath: `/www.patreon.com/api/oauth2/v2/identity?${new URLSearchParams({ 'fields[user]': 'email,full_name,is_email_verified,vanity' })}`,
  },
  {
    type: 'reddit',
    profile: { id: 'abc12', name: 'ada' },
    params: { duration: 'permanent' },
    ...{ scope: 'identity', auth: 'basic', identifier: 'abc12', vouches: false },
    user: { username: 'ada', email: '', name: 'ada' },
    profilePath: '/oauth.reddit.com/api/v1/me',
  },
  {
    type: 'twitch',
    claims: { sub: '713936733', iss: 'https://id.twitch.tv/oauth2' },
    profile: { sub: '713936733', preferred_username: 'ada', email: mail, email_verified: true },
    ...{ scope: 'openid user:read:email', auth: 'post', identifier: '713936733', vouches: true },
    user: { username: 'ada', email: mail, name: 'ada' },
    profilePath: '/id.twitch.tv/oauth2/userinfo',
  },
  {
    type: 'twitter',
    profile: { data: { id: '2244994945', name: 'Ada', username: 'ada' } },
    ...{ scope: 'tweet.read users.read', auth: 'basic', identifier: '2244994945', vouches: false },
    user: { username: 'ada', email: '', name: 'Ada' },
    profilePath: '/api.x.com/2/users/me',
  },
];

const issuers: Readonly<Record<string, string>> = {
  'own.example': 'https://own.example',
  'login.microsoftonline.com': 'https://login.microsoftonline.com/{tenantid}/v2.0',
  'gitlab.com': 'https://gitlab.com',
  'accounts.google.com': 'https://accounts.google.com',
  'id.twitch.tv': 'https://id.twitch.tv/oauth2',
  'appleid.apple.com': 'https://appleid.apple.com',
};

/** Has the local server speak as the vendors do. */
async function speak(
  { profilePath, profile, more = {} }: Pick<Row, 'profilePath' | 'profile' | 'more'>,
  nonce: string,
) {
  const ask = peer.answer;
  await peer.prepare(nonce);
  peer.answer = (request: ServiceRequest) => {
    const [, host = ''] = request.path.split('/');
    if (request.path.includes('openid-configuration'))
      return json({ issuer: issuers[host], jwks_uri: `https://keys.example/${host}` });
    if (request.path.startsWith('/keys.example/')) return ask({ ...request, path: '/jwks' });
    if (request.path in more) return json(more[request.path]);
    if (request.path === profilePath) return json(profile);
    if (/token$/.test(request.path)) return ask({ ...request, path: '/token' });
    return json({ path: request.path }, 404);
  };
  return () => {
    peer.answer = ask;
  };
}

describeOnSqlite(
  'types of OAuth source',
  (server) => {
    test('are all covered by these tests', () => {
      const tried = [...rows.map(({ type }) => type), 'apple'].sort();
      expect(tried).toEqual(providerTypes.map(({ name }) => name).sort());
    });

    test.each(rows.map((row) => [row.type, row] as const))('%s', async (_type, row) => {
      let undo = await speak(row, '');
      try {
        const source = await signInSource(server(), { provider_type: row.type, ...row.values });
        const browser = newBrowser(server());
        const asked = await depart(server(), browser, source.slug);
        expect(Object.fromEntries(asked.searchParams)).toMatchObject({ scope: row.scope, ...row.params });
        expect(asked.searchParams.has('nonce')).toBe(row.claims !== undefined);
        undo();
        peer.person = {};
        peer.claims = { iss: 'https://own.example', ...row.claims };
        if (!row.claims) peer.token = { id_token: undefined };
        undo = await speak(row, asked.searchParams.get('nonce') ?? '');
        peer.requests.length = 0;
        const page = await comeBack(server(), browser, source.slug, {
          code: 'c',
          state: asked.searchParams.get('state') ?? '',
        });
        expect([page.status, saidOn(page)]).toEqual([302, expect.anything()]);
        const { db, key, clock } = server().world;
        const token = planTokenIn(browser.cookies);
        const plan = await findPlan(db.read, key, token, 'default-source-enrollment', clock.now());
        expect(plan?.append[0]?.content).toMatchObject({ identifier: row.identifier });
        expect(plan?.prompt_data).toMatchObject(row.user);
        expect(row.user.email !== '').toBe(row.vouches);
        const sent = peer.requests.find(({ method }) => method === 'POST') as ServiceRequest;
        expect([new URLSearchParams(sent.body).has('client_secret'), 'authorization' in sent.headers]).toEqual(
          row.auth === 'post' ? [true, false] : [false, true],
        );
        const profile = peer.requests.find(({ path }) => path === row.profilePath);
        expect(profile?.headers.authorization).toBe('Bearer at-1');
        expect(peer.requests.filter(({ path }) => path.includes('at-1'))).toEqual([]);
      } finally {
        undo();
      }
    });

    test('GitHub: an address that is not verified, or not told, is no user’s', async () => {
      const github = rows.find(({ type }) => type === 'github') as Row;
      for (const more of [
        { '/api.github.com/user/emails': [{ email: mail, primary: true, verified: false }] },
        { '/api.github.com/user/emails': { message: 'no' } },
        {},
      ]) {
        const undo = await speak({ ...github, more, profile: { ...(github.profile as object), email: mail } }, '');
        peer.token = { id_token: undefined };
        const source = await signInSource(server(), { provider_type: 'github' });
        const browser = newBrowser(server());
        const state = (await depart(server(), browser, source.slug)).searchParams.get('state') ?? '';
        await comeBack(server(), browser, source.slug, { code: 'c', state });
        undo();
        const { db, key, clock } = server().world;
        const token = planTokenIn(browser.cookies);
        const plan = await findPlan(db.read, key, token, 'default-source-enrollment', clock.now());
        expect(plan?.prompt_data.email).toBe('');
      }
    });

    test('OAuth 2: without scopes it requests none, and neither names nor unverified addresses identify', async () => {
      for (const [profile, status] of [
        [{ id: '42', login: 'ada', email: mail }, 302],
        [{ login: 'ada', username: 'ada', email: mail, email_verified: true }, 400],
      ] as const) {
        const undo = await speak({ profilePath: '/own.example/profile', profile }, '');
        peer.token = { id_token: undefined };
        const source = await signInSource(server(), { provider_type: 'oauth2', ...ownPlain });
        const browser = newBrowser(server());
        const asked = (await depart(server(), browser, source.slug)).searchParams;
        expect([asked.has('scope'), asked.get('code_challenge_method')]).toEqual([false, 'S256']);
        const page = await comeBack(server(), browser, source.slug, { code: 'c', state: asked.get('state') ?? '' });
        undo();
        expect(page.status).toBe(status);
        if (status !== 302) continue;
        const { db, key, clock } = server().world;
        const token = planTokenIn(browser.cookies);
        const plan = await findPlan(db.read, key, token, 'default-source-enrollment', clock.now());
        expect(plan?.prompt_data).toMatchObject({ username: 'ada', email: '' });
      }
    });

    test('Azure AD: the issuer must be that of the tenant in the token', async () => {
      const azure = rows.find(({ type }) => type === 'azuread') as Row;
      for (const claims of [
        { iss: `https://login.microsoftonline.com/${tenant.replaceAll('1', '9')}/v2.0` },
        { tid: 'x/../y', iss: 'https://login.microsoftonline.com/x/../y/v2.0' },
        { tid: undefined },
        { oid: 'somebody-else' },
      ]) {
        let undo = await speak(azure, '');
        const source = await signInSource(server(), { provider_type: 'azuread' });
        const browser = newBrowser(server());
        const asked = await depart(server(), browser, source.slug);
        undo();
        peer.person = {};
        peer.claims = { ...azure.claims, ...claims };
        undo = await speak(azure, asked.searchParams.get('nonce') ?? '');
        const state = asked.searchParams.get('state') ?? '';
        expect((await comeBack(server(), browser, source.slug, { code: 'c', state })).status).toBe(400);
        undo();
      }
    });

    test('Apple: the answer comes by a form, the secret is a signed JWT, the name is read from the form', async () => {
      const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
      const values = { provider_type: 'apple', consumer_key: 'com.example.app;TEAM;KEY', consumer_secret: pem };
      const apple = { profilePath: '', profile: {} };
      let undo = await speak(apple, '');
      const source = await signInSource(server(), values);
      const browser = newBrowser(server());
      const asked = await depart(server(), browser, source.slug);
      expect(Object.fromEntries(asked.searchParams)).toMatchObject({
        client_id: 'com.example.app',
        scope: 'email name',
        response_mode: 'form_post',
      });
      undo();
      peer.person = {};
      peer.claims = {
        iss: issuers['appleid.apple.com'],
        aud: 'com.example.app',
        sub: '001',
        email: mail,
        email_verified: 'true',
      };
      undo = await speak(apple, asked.searchParams.get('nonce') ?? '');
      peer.requests.length = 0;
      const user = JSON.stringify({ name: { firstName: 'Ada', lastName: 'Byron' }, email: 'evil@example.com' });
      const state = asked.searchParams.get('state') ?? '';
      const form = { code: 'c', state, user, dry_run: 'true' };
      // The form comes from another site, so without our cookies.
      const posted = await visit(server(), newBrowser(server()), `/source/oauth/callback/${source.slug}/`, { form });
      expect([posted.status, posted.location.includes('dry_run')]).toEqual([303, false]);
      const page = await visit(server(), browser, posted.location);
      undo();
      expect([page.status, saidOn(page)]).toEqual([302, expect.anything()]);
      const { db, key, clock } = server().world;
      const token = planTokenIn(browser.cookies);
      const plan = await findPlan(db.read, key, token, 'default-source-enrollment', clock.now());
      expect(plan?.append[0]?.content).toMatchObject({ identifier: '001' });
      expect(plan?.prompt_data).toMatchObject({ email: mail, name: 'Ada Byron' });
      const sent = new URLSearchParams(peer.requests.find(({ method }) => method === 'POST')?.body);
      const spki = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString();
      const secret = await jwtVerify(sent.get('client_secret') ?? '', await importSPKI(spki, 'ES256'), {
        ...{ issuer: 'TEAM', audience: 'https://appleid.apple.com', subject: 'com.example.app' },
      });
      expect(secret.protectedHeader).toEqual({ alg: 'ES256', kid: 'KEY' });
    });

    test('Apple: a client id of fewer parts and a key that is none are told by a page', async () => {
      const undo = await speak({ profilePath: '', profile: {} }, '');
      for (const [consumer_key, words] of [
        [clientId, 'should be formatted like services_id_identifier;apple_team_id;key_id'],
        ['a;b;c', 'not an EC private key'],
      ]) {
        const { slug } = await signInSource(server(), { provider_type: 'apple', consumer_key });
        const page = await visit(server(), newBrowser(server()), `/source/oauth/login/${slug}/`);
        expect([page.status, saidOn(page)]).toEqual([400, expect.stringContaining(words ?? '')]);
      }
      undo();
    });
  },
  { env: { ...loopbackAllowed, GATEHOUSE_PUBLIC_URL: 'http://localhost:8765' }, extra: { kinds, migration: nothing } },
);
