import { SignJWT } from 'jose';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { runJob } from '../../support/jobs.ts';
import { type JsonServer, startJsonServer } from '../../support/json-server.ts';
import { makeTrusted } from '../../support/jwks-source.ts';
import { behindProxy, type ProtectedHost, protect, proxiedBrowser } from '../../support/protected-host.ts';
import { describeOnBoth } from '../../support/server.ts';

describeOnBoth(
  'programs that bring a token of a JWKS source to a protected application',
  (server) => {
    const ready = async (values: Record<string, unknown> = {}) => {
      const trusted = await makeTrusted(server());
      const app = await protect(server(), { jwks_sources: [trusted.pk], ...values });
      const { body } = await server().admin.get(`/providers/proxy/${app.pk}/`);
      expect(body.jwks_sources).toEqual(values.jwks_sources ?? [trusted.pk]);
      const claims = { iss: 'https://cluster.example', sub: 'build', aud: body.client_id as string };
      return { trusted, app, claims, name: body.name as string };
    };
    const ask = (app: ProtectedHost, authorization: string) =>
      proxiedBrowser(server()).ask(`${app.url}/api`, { headers: { authorization } });
    const status = async (app: ProtectedHost, jwt: string) => (await ask(app, `Bearer ${jwt}`)).status;
    const ageSessions = (app: ProtectedHost) =>
      server().world.db.write((tx) =>
        sql`update proxy_sessions set expires = '2020-01-01T00:00:00.000000Z' where provider = ${app.pk}`.execute(tx),
      );
    const accountOf = async (username: string) =>
      (await server().admin.get(`/core/users/?username=${encodeURIComponent(username)}`)).body.results[0];

    test('are let in as a separate service account, whose username the application receives', async () => {
      const { trusted, app, claims, name } = await ready();
      const jwt = await trusted.sign({ ...claims, padding: 'x'.repeat(3000) });
      const basic = `Basic ${Buffer.from(`gatehouse/token:${jwt}`).toString('base64')}`;
      for (const header of [`Bearer ${jwt}`, `Bearer ${jwt}`, basic]) {
        const { status, headers } = await ask(app, header);
        expect([status, headers['remote-user'], headers.authorization]).toEqual([200, `gatehouse-${name}-build`, '']);
      }
      const account = await accountOf(`gatehouse-${name}-build`);
      expect(account.type).toBe('service_account');
      // Another one of the same source, and one of the same name at another issuer.
      for (const other of [{ sub: 'deploy' }, { iss: 'https://other.example' }]) {
        const { headers } = await ask(app, `Bearer ${await trusted.sign({ ...claims, ...other })}`);
        expect(headers['remote-user']).not.toBe(account.username);
      }
      // An account that was deleted is made again.
      await server().admin.delete(`/core/users/${account.pk}/`);
      expect(await status(app, jwt)).toBe(200);
      expect((await accountOf(account.username)).pk).not.toBe(account.pk);
    });

    test('are refused with a token for another audience, an expired one and one of another source', async () => {
      const { trusted, app, claims } = await ready();
      const other = await ready();
      const { aud, ...withoutAudience } = claims;
      const wrong: [string, string][] = [
        ['no audience', await trusted.sign(withoutAudience)],
        ['this server', await trusted.sign({ ...claims, aud: 'http://id.example.com' })],
        ['another provider', await trusted.sign({ ...claims, aud: other.claims.aud })],
        ['no subject', await trusted.sign({ ...claims, sub: '' })],
        ['expired', await trusted.sign(claims, '-5m')],
        ['valid for days', await trusted.sign(claims, '3d')],
        ['another source', await other.trusted.sign(claims)],
      ];
      for (const [what, jwt] of wrong) expect([what, await status(app, jwt)]).toEqual([what, 401]);
      const plain = await protect(server());
      expect(await status(plain, await trusted.sign({ ...claims, aud }))).toBe(401);
      const { headers } = await ask(app, `Bearer ${await trusted.sign(claims)}x`);
      expect(headers['remote-user']).toBeUndefined();
    });

    test('are refused without a signature, and with one that anyone can make', async () => {
      const { trusted, app, claims } = await ready();
      const [, payload] = (await trusted.sign(claims)).split('.');
      const unsigned = Buffer.from('{"alg":"none","kid":"one"}').toString('base64url');
      expect(await status(app, `${unsigned}.${payload}.`)).toBe(401);
      // The public key as if it were a shared secret (key confusion).
      const secrets = [JSON.stringify(trusted.jwk), JSON.stringify({ keys: [trusted.jwk] }), String(trusted.jwk.x)];
      for (const secret of secrets) {
        const jwt = await new SignJWT(claims)
          .setProtectedHeader({ alg: 'HS256', kid: 'one' })
          .setExpirationTime('5m')
          .sign(new TextEncoder().encode(secret.padEnd(32, '=')));
        expect(await status(app, jwt)).toBe(401);
      }
      const [header, , signature] = (await trusted.sign(claims)).split('.');
      const forged = Buffer.from(JSON.stringify({ ...claims, sub: 'root', exp: 4_000_000_000 })).toString('base64url');
      expect(await status(app, `${header}.${forged}.${signature}`)).toBe(401);
    });

    test('are refused by the policies of the application, at once and later', async () => {
      const { trusted, app, claims, name } = await ready();
      const group = (await server().admin.post('/core/groups/', { name: `programs of ${name}` })).body.pk;
      const binding = await server().admin.post('/policies/bindings/', { target: app.application, group, order: 0 });
      expect(binding.status).toBe(201);
      const jwt = await trusted.sign(claims);
      expect(await status(app, jwt)).toBe(401);
      const { pk } = await accountOf(`gatehouse-${name}-build`);
      await server().admin.post(`/core/groups/${group}/add_user/`, { pk });
      expect(await status(app, jwt)).toBe(200);
      await server().admin.patch(`/core/users/${pk}/`, { is_active: false });
      expect(await status(app, jwt)).toBe(401);
    });

    test('are refused once the source is disabled, taken from the provider or deleted', async () => {
      for (const [how, end] of [
        ['disabled', (slug: string) => server().admin.patch(`/sources/oauth/${slug}/`, { enabled: false })],
        ['taken', (_: string, pk: number) => server().admin.patch(`/providers/proxy/${pk}/`, { jwks_sources: [] })],
      ] as const) {
        const { trusted, app, claims } = await ready();
        const jwt = await trusted.sign(claims);
        expect([how, await status(app, jwt)]).toEqual([how, 200]);
        expect((await end(trusted.slug, app.pk)).status).toBe(200);
        // Tokens are verified again after a minute.
        await ageSessions(app);
        expect([how, await status(app, jwt)]).toEqual([how, 401]);
      }
      const { trusted, app, claims } = await ready();
      const jwt = await trusted.sign(claims);
      expect(await status(app, jwt)).toBe(200);
      await server().admin.delete(`/sources/oauth/${trusted.slug}/`);
      expect(await status(app, jwt)).toBe(401);
    });

    test('are refused if their token is known to be of another issuer', async () => {
      const { trusted, app, claims } = await ready();
      let issuer = '';
      const service: JsonServer = await startJsonServer(({ segments }) =>
        segments.at(-1) === 'jwks'
          ? { status: 200, body: { keys: [trusted.jwk] } }
          : { status: 200, body: { issuer, jwks_uri: `${service.origin}/jwks` } },
      );
      issuer = service.origin;
      try {
        const changed = await server().admin.patch(`/sources/oauth/${trusted.slug}/`, {
          oidc_jwks: {},
          oidc_well_known_url: `${issuer}/.well-known/openid-configuration`,
        });
        expect([changed.status, changed.text]).toEqual([200, changed.text]);
        await runJob(server(), 'oauth_source_refresh', { source: trusted.pk });
        expect(await status(app, await trusted.sign(claims))).toBe(401);
        expect(await status(app, await trusted.sign({ ...claims, iss: issuer }))).toBe(200);
      } finally {
        await service.close();
      }
    });

    test('leave the header to applications that read it themselves', async () => {
      const { trusted, app, claims } = await ready({ intercept_header_auth: false });
      expect(await status(app, await trusted.sign({ ...claims, aud: 'https://api.example' }))).toBe(302);
    });

    test('need a source that the administrator of the provider may use', async () => {
      const { trusted, app } = await ready();
      await server().admin.patch(`/providers/proxy/${app.pk}/`, { jwks_sources: [] });
      const rights = ['svc_providers_proxy.view_proxyprovider', 'svc_providers_proxy.change_proxyprovider'];
      const seeing = [...rights, 'svc_sources_oauth.view_oauthsource'];
      const change = async (permissions: readonly string[]) => {
        const { api } = await server().user(permissions);
        return api.patch(`/providers/proxy/${app.pk}/`, { jwks_sources: [trusted.pk] });
      };
      const refused = await change(seeing);
      expect([refused.status, refused.body.required]).toEqual([403, 'svc_sources_oauth.use_oauthsource']);
      expect((await change([...seeing, 'svc_sources_oauth.use_oauthsource'])).status).toBe(200);
    });
  },
  { env: { ...behindProxy, GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.0/8' } },
);
