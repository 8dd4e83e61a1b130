import { decodePost } from '../../../src/lib/saml/post-binding.ts';
import { readRedirect } from '../../../src/lib/saml/redirect-binding.ts';
import { attributeOf, type XmlElement } from '../../../src/lib/xml/element.ts';
import { readXml } from '../../../src/lib/xml/read-xml.ts';
import { makeSource } from '../../api/sources/fixtures.ts';
import type { Browser } from '../../support/flow-client.ts';
import { flowKey, made, unique } from '../../support/make-walk.ts';
import { type IdpKey, signedResponse, type Told, told } from '../../support/saml-idp.ts';
import type { TestServer } from '../../support/server.ts';
import { formOn, newBrowser, type Page, submitLink, throughFlow, visit } from '../oauth-source/visitor.ts';

export const parse = (text: string): XmlElement => readXml(text, { maxLength: 600_000 });
export const idpUrl = 'https://idp.example/sso';

/** Ways through a SAML source whose identity provider has this key. */
export function samlWalk(server: () => TestServer, key: () => IdpKey) {
  const address = (slug: string, last = '') => `${server().world.config.publicUrl}/source/saml/${slug}/${last}`;

  async function pair({ certificate, key: private_key }: IdpKey, hasKey = true): Promise<string> {
    const body = { name: unique('pair'), certificate_data: certificate, key_data: hasKey ? private_key : '' };
    return (await made(server(), '/crypto/certificatekeypairs/', body)).pk;
  }

  async function source(values: Record<string, unknown> = {}) {
    return makeSource(server(), 'saml', {
      sso_url: idpUrl,
      pre_authentication_flow: await flowKey(server(), 'default-source-pre-authentication'),
      authentication_flow: await flowKey(server(), 'default-source-authentication'),
      enrollment_flow: await flowKey(server(), 'default-source-enrollment'),
      verification_kp: await pair(key(), false),
      ...values,
    });
  }

  const leave = async (slug: string, browser: Browser, query = ''): Promise<Page> =>
    submitLink(server(), browser, await visit(server(), browser, `/source/saml/${slug}/${query}`));

  /** Leaves; the request that the identity provider gets. */
  async function depart(slug: string, browser: Browser, query = ''): Promise<XmlElement> {
    const page = await leave(slug, browser, query);
    if (page.status === 302 && page.location.startsWith('https:')) {
      return parse(readRedirect(page.location.split('?')[1] ?? '').text);
    }
    const { SAMLRequest } = formOn(page).members;
    if (!SAMLRequest) throw new Error(`no request: ${page.status} ${page.location} ${page.text}`);
    return parse(decodePost(SAMLRequest));
  }

  const about = (slug: string, more: Partial<Told> = {}): Told =>
    told({ audience: address(slug, 'metadata/'), recipient: address(slug, 'acs/'), nameId: unique('name'), ...more });

  /** Brings a response as the identity provider's page does: from another site, so without our cookies. */
  const post = (slug: string, response: string, more: Record<string, string> = {}): Promise<Page> =>
    visit(server(), newBrowser(server()), `/source/saml/${slug}/acs/`, {
      form: { SAMLResponse: Buffer.from(response).toString('base64'), ...more },
    });

  /** Brings a response, and follows to where the browser comes by itself. */
  async function bring(slug: string, browser: Browser, response: string, more: Record<string, string> = {}) {
    const page = await post(slug, response, more);
    return page.status === 303 ? visit(server(), browser, page.location) : page;
  }

  /** Leaves and comes back as a user. */
  async function arrive(slug: string, more: Partial<Told> = {}, browser = newBrowser(server()), query = '') {
    const inResponseTo = attributeOf(await depart(slug, browser, query), 'ID');
    return bring(slug, browser, signedResponse(about(slug, { inResponseTo, ...more }), key()));
  }

  /** The same, all the way through the flow that follows. */
  async function signIn(slug: string, more: Partial<Told> = {}) {
    const browser = newBrowser(server());
    const page = await arrive(slug, more, browser);
    await throughFlow(browser, page);
    return { browser, page, user: (await browser.get('/core/users/me/')).body.user };
  }

  const connectionsOf = async (slug: string) =>
    (await server().admin.get(`/sources/user_connections/saml/?source__slug=${slug}`)).body.results;

  return { address, pair, source, leave, depart, about, post, bring, arrive, signIn, connectionsOf };
}
