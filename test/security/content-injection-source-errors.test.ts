import { beforeAll, expect, test } from 'vitest';
import { signXml } from '../../src/lib/xml/sign.ts';
import { saidOn } from '../protocol/oauth-source/visitor.ts';
import { samlWalk } from '../protocol/saml-source/saml-walk.ts';
import { type IdpKey, idpKey, responseMarkup } from '../support/saml-idp.ts';
import { describeOnSqlite } from '../support/server.ts';

let key: IdpKey;
beforeAll(async () => {
  key = await idpKey();
});
const words = 'Your account is locked. Call 555 0100 and tell your password.';

// Any site can have a browser bring an answer: what it says would stand on our page as if it were ours.
describeOnSqlite('content injection: the words of an answer that says that it failed', (server) => {
  const { source, about, post } = samlWalk(server, () => key);

  const failed = (slug: string, code: string) => {
    const { markup } = responseMarkup(about(slug, { status: `urn:oasis:names:tc:SAML:2.0:status:${code}` }));
    const message = `<samlp:StatusMessage>${words}</samlp:StatusMessage></samlp:Status>`;
    return { markup: markup.replace('</samlp:Status>', () => message) };
  };

  test('are shown when the identity provider has signed them', async () => {
    const { slug } = await source();
    expect(saidOn(await post(slug, signXml(failed(slug, 'Responder'), key).markup))).toContain(words);
  });

  test('are not shown else, but for the name of its status', async () => {
    const { slug } = await source();
    const page = saidOn(await post(slug, failed(slug, 'Responder').markup));
    expect(page).toContain('SAML Status: Responder');
    expect(page).not.toContain('555');
    expect(saidOn(await post(slug, failed(slug, words).markup))).not.toContain('555');
  });
});
