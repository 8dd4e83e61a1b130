import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { Provider } from 'oidc-provider';
import { afterAll, expect, test } from 'vitest';
import { made, unique } from '../../support/make-walk.ts';
import { makeRelying, mappingsOf, tokensFor } from '../../support/oauth2.ts';
import { describeOnBoth } from '../../support/server.ts';
import { loopbackAllowed } from '../../support/service.ts';
import { signedInBrowser } from '../../support/signed-in-browser.ts';
import { signInSource } from './make-source.ts';
import { clientId, clientSecret } from './openid-service.ts';
import { depart, leadsTo, newBrowser, throughFlow, visit } from './visitor.ts';

const publicUrl = 'http://localhost:8765';
const slugs = ['sqlite', 'postgres'].map((kind) => `${unique('peer')}-${kind}`);

/** A third-party provider, with its own pages to sign in and to consent. */
const http = createServer();
await new Promise<void>((done) => http.listen(0, '127.0.0.1', done));
const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
const provider = new Provider(issuer, {
  clients: [
    {
      client_id: clientId,
      client_secret: clientSecret,
      redirect_uris: slugs.map((slug) => `${publicUrl}/source/oauth/callback/${slug}/`),
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    },
  ],
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'preferred_username'] },
  findAccount: async (_context: unknown, id: string) => ({
    accountId: id,
    claims: async () => ({
      ...{ sub: id, name: `Person ${id}`, preferred_username: id },
      ...{ email: `${id}@example.com`, email_verified: true },
    }),
  }),
  cookies: { keys: ['for-tests-only'] },
  pkce: { required: () => true },
  issueRefreshToken: async () => true,
  rotateRefreshToken: true,
});
http.on('request', provider.callback());
afterAll(
  () =>
    new Promise<void>((done) => {
      http.closeAllConnections();
      http.close(() => done());
    }),
);

/** Signs in there as this account, agrees, and says where the browser is sent in the end. */
async function signInThere(asked: URL, account: string): Promise<string> {
  const cookies = new Map<string, string>();
  let url = asked.href;
  let form: URLSearchParams | null = null;
  for (let steps = 0; steps < 15; steps += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer: Response = await fetch(url, {
      redirect: 'manual',
      headers: { accept: 'text/html', cookie },
      ...(form && { method: 'POST', body: form }),
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = answer.headers.get('location');
    if (location?.startsWith(publicUrl)) return location.slice(publicUrl.length);
    form = null;
    if (location) {
      url = new URL(location, url).href;
      continue;
    }
    const page = await answer.text();
    const [, prompt] = /name="prompt" value="(\w+)"/.exec(page) ?? [];
    if (!prompt) throw new Error(`what now? ${answer.status} ${page}`);
    url = new URL(/action="([^"]+)"/.exec(page)?.[1] ?? '', url).href;
    form = new URLSearchParams(prompt === 'login' ? { prompt, login: account, password: 'x' } : { prompt });
  }
  throw new Error('the provider leads nowhere');
}

describeOnBoth(
  'oidc-provider as the other side of an OpenID source',
  (server) => {
    /** The token that an application gets for a user of this source. */
    async function tokenReader(slug: string, pk: string, user: number): Promise<() => Promise<string>> {
      const scope = unique('upstream');
      const mapping = await made(server(), '/propertymappings/provider/scope/', {
        ...{ name: scope, scope_name: scope, token_sources: [pk] },
        expression: `return { upstream: source_tokens['${slug}'] ?? 'none' };`,
      });
      const mappings = [...(await mappingsOf(server(), ['openid'])), mapping.pk];
      const relying = await makeRelying(server(), { property_mappings: mappings });
      const tokens = await tokensFor(server(), relying, user, { scope: ['openid', scope] });
      return async () => (await server().as(tokens.access_token).get('/application/o/userinfo/')).body.upstream;
    }

    test('a user enrols, signs in again, has access tokens renewed, and links a second account', async () => {
      const slug = slugs.find((one) => one.endsWith(server().kind)) as string;
      const source = await signInSource(server(), {
        slug,
        oidc_well_known_url: `${issuer}/.well-known/openid-configuration`,
      });
      const account = unique('account');
      let pk = 0;
      for (const action of ['enrollment', 'authentication']) {
        const browser = newBrowser(server());
        const back = await signInThere(await depart(server(), browser, slug), account);
        const page = await visit(server(), browser, back);
        expect([page.status, leadsTo(page)]).toEqual([302, `/if/flow/default-source-${action}/`]);
        expect(await throughFlow(browser, page)).toMatchObject({ component: 'xak-flow-redirect' });
        const { user } = (await browser.get('/core/users/me/')).body;
        expect(user).toMatchObject({ username: account, email: `${account}@example.com`, name: `Person ${account}` });
        if (action === 'authentication') expect(user.pk).toBe(pk);
        pk = user.pk;
      }
      // Refresh tokens are rotated there: only the newest is good.
      const read = await tokenReader(slug, source.pk, pk);
      const seen = new Set([await read()]);
      for (let renewal = 0; renewal < 2; renewal += 1) {
        await server().world.db.write((tx) =>
          sql`update user_connection_oauth set expires = '2020-01-01T00:00:00.000000Z'
            where pk in (select pk from user_source_connections where source = ${source.pk})`.execute(tx),
        );
        const token = await read();
        const answer = await fetch(`${issuer}/me`, { headers: { authorization: `Bearer ${token}` } });
        expect(await answer.json()).toMatchObject({ sub: account });
        seen.add(token);
      }
      expect(seen.size).toBe(3);

      const other = await server().user();
      const browser = await signedInBrowser(server(), other.pk);
      const page = await visit(
        server(),
        browser,
        await signInThere(await depart(server(), browser, slug, '?link'), unique('b')),
      );
      expect([page.status, page.location]).toEqual([302, '/if/user/connections/']);
      const { results } = (await server().admin.get(`/sources/user_connections/oauth/?source__slug=${slug}`)).body;
      expect(results.map(({ user }: { user: number }) => user).sort()).toEqual([pk, other.pk].sort());
    });
  },
  { env: { ...loopbackAllowed, GATEHOUSE_PUBLIC_URL: publicUrl } },
);
