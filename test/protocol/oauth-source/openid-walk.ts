import { made } from '../../support/make-walk.ts';
import type { TestServer } from '../../support/server.ts';
import { signInSource } from './make-source.ts';
import type { OpenIdService } from './openid-service.ts';
import { comeBack, depart, newBrowser, type Page } from './visitor.ts';

/** Ways through a source whose other side is this provider. */
export function openIdWalk(server: () => TestServer, peer: OpenIdService) {
  const source = (values: Record<string, unknown> = {}) =>
    signInSource(server(), { oidc_well_known_url: `${peer.url}/discovery`, ...values });

  /** Leaves, has the provider sign an ID token for this visit, and comes back. */
  async function arrive(slug: string, browser = newBrowser(server()), query = ''): Promise<Page> {
    const asked = await depart(server(), browser, slug, query);
    await peer.prepare(asked.searchParams.get('nonce') ?? '');
    return comeBack(server(), browser, slug, { code: 'a-code', state: asked.searchParams.get('state') ?? '' });
  }
  const connectionsOf = async (slug: string) =>
    (await server().admin.get(`/sources/user_connections/oauth/?source__slug=${slug}`)).body.results;
  const me = async (browser: ReturnType<typeof newBrowser>) => (await browser.get('/core/users/me/')).body.user;
  async function linkedUser(pk: string, sub: string, values: Record<string, unknown> = {}) {
    const user = await server().user([], values);
    await made(server(), '/sources/user_connections/oauth/', { user: user.pk, source: pk, identifier: sub });
    return user;
  }
  return { source, arrive, connectionsOf, me, linkedUser };
}
