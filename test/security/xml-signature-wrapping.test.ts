import { createPrivateKey } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { writeLogoutRequest } from '../../src/lib/saml/logout.ts';
import { attributeOf } from '../../src/lib/xml/element.ts';
import { signXml } from '../../src/lib/xml/sign.ts';
import { newBrowser, throughFlow, visit } from '../protocol/oauth-source/visitor.ts';
import { samlWalk } from '../protocol/saml-source/saml-walk.ts';
import { unique } from '../support/make-walk.ts';
import { asForm, stranger, type Visitor, visitor } from '../support/relying-party.ts';
import { assertionMarkup, type IdpKey, idpKey, responseMarkup, type Told } from '../support/saml-idp.ts';
import {
  authnRequest,
  elementOf,
  encoded,
  logoutRequest,
  makeServiceProvider,
  responseOn,
  storePair,
  textIn,
} from '../support/saml-sp.ts';
import { describeOnSqlite } from '../support/server.ts';

let key: IdpKey;
beforeAll(async () => {
  key = await idpKey();
});

const sign = (markup: string) => signXml({ markup }, key).markup;
const signatureOf = (text: string) => /<ds:Signature .*<\/ds:Signature>/s.exec(text)?.[0] ?? '';
const bare = (text: string) => text.replace(signatureOf(text), '');
const afterIssuer = (text: string, inner: string) => text.replace('</saml:Issuer>', `</saml:Issuer>${inner}`);
const into = (text: string, inner: string) => text.replace(/<\/[\w:]+>$/, (end) => `${inner}${end}`);
const asObject = (inner: string) => `<ds:Object>${inner}</ds:Object>`;

/** What attackers make of a request of theirs (ID `_good`) to have another read (ID `_evil`). */
const wrappedRequests = (good: string, evil: string): Record<string, string> => ({
  'the signed request in the signature of a forged one': afterIssuer(evil, into(signatureOf(good), bare(good))),
  'the signed request before its signature': afterIssuer(evil, bare(good) + signatureOf(good)),
  'the signed request inside a forged one': into(evil, good),
  'the signed request in Extensions': afterIssuer(evil, `<samlp:Extensions>${good}</samlp:Extensions>`),
  'the signature of another request': afterIssuer(evil, signatureOf(good)),
  'the same ID': afterIssuer(evil.replace('_evil', '_good'), into(signatureOf(good), asObject(bare(good)))),
});

// Readers that verified one element and read another signed in whomever a stranger named.
describeOnSqlite('XML signature wrapping: only what is signed is read', (server) => {
  describe('a response to a SAML source', () => {
    const { source, signIn, address, depart, about, bring } = samlWalk(server, () => key);

    /** The documents that attackers make of a response that is theirs. */
    function forgeries(good: Told, evil: Told): Record<string, string> {
      const response = (of: Told, ...inside: string[]) =>
        responseMarkup(of, ...inside.map((markup) => ({ markup }))).markup;
      const [goodBare, evilBare] = [assertionMarkup(good).markup, assertionMarkup(evil).markup];
      const goodSigned = sign(goodBare);
      const whole = sign(response(good, goodBare));
      const evilWhole = response(evil, evilBare);
      const evilNamesake = assertionMarkup({ ...evil, assertionId: good.assertionId }).markup;
      return {
        'XSW1, the signed response in the signature of a copy': afterIssuer(
          evilWhole,
          into(signatureOf(whole), bare(whole)),
        ),
        'XSW2, the signed response before its signature': afterIssuer(evilWhole, bare(whole) + signatureOf(whole)),
        'XSW3, a forged assertion before the signed one': response(good, evilBare, goodSigned),
        'XSW4, the signed assertion inside a forged one': response(good, into(evilBare, goodSigned)),
        'XSW5, the signature in a forged assertion': response(
          good,
          afterIssuer(evilBare, signatureOf(goodSigned)),
          goodBare,
        ),
        'XSW6, the original in the signature of a forged assertion': response(
          good,
          afterIssuer(evilBare, into(signatureOf(goodSigned), goodBare)),
        ),
        'XSW7, the signed assertion in Extensions': response(
          good,
          `<samlp:Extensions>${goodSigned}</samlp:Extensions>`,
          evilBare,
        ),
        'XSW8, the original in an Object of the signature': response(
          good,
          afterIssuer(evilNamesake, into(signatureOf(goodSigned), asObject(goodBare))),
        ),
        'two signed assertions': response(
          good,
          goodSigned,
          sign(assertionMarkup({ ...good, assertionId: 'second' }).markup),
        ),
        'a changed name under a comment in the digest': response(
          good,
          goodSigned.replaceAll(good.nameId, evil.nameId).replace('<ds:DigestValue>', '<ds:DigestValue><!--x-->'),
        ),
      };
    }

    test('that was wrapped, doubled or changed signs no user in', async () => {
      const { slug } = await source();
      const names = Object.keys(forgeries(about(slug), about(slug)));
      const outcomes: Record<string, unknown> = {};
      for (const name of names) {
        const browser = newBrowser(server());
        const inResponseTo = attributeOf(await depart(slug, browser), 'ID');
        const good = about(slug, { inResponseTo, nameId: unique('attacker') });
        const forged = forgeries(good, about(slug, { inResponseTo, nameId: unique('victim') }))[name] ?? '';
        const { status } = await bring(slug, browser, forged);
        outcomes[name] = [status, (await browser.get('/core/users/me/')).status];
      }
      expect(outcomes).toEqual(Object.fromEntries(names.map((name) => [name, [400, 403]])));
    });

    test('or a logout request that was wrapped ends no session', async () => {
      const { slug } = await source({ slo_url: 'https://idp.example/slo' });
      const [own, other] = [unique('attacker'), unique('victim')];
      const victim = await signIn(slug, { nameId: other });
      const request = (nameId: string, id: string) =>
        writeLogoutRequest({
          ...{ id, issuer: 'https://idp.example/metadata', destination: address(slug, 'slo/'), now: new Date() },
          ...{ nameId: { value: nameId, format: '', qualifier: null, spQualifier: null }, sessionIndexes: [] },
        }).markup;
      const post = async (message: string) =>
        (
          await visit(server(), newBrowser(server()), `/source/saml/${slug}/slo/`, {
            form: { SAMLRequest: encoded(message) },
          })
        ).status;
      const good = sign(request(own, '_good'));
      for (const [name, forged] of Object.entries(wrappedRequests(good, request(other, '_evil')))) {
        expect([name, await post(forged)]).toEqual([name, 400]);
      }
      expect((await victim.browser.get('/core/users/me/')).status).toBe(200);
      expect(await post(good)).toBe(200);
    });

    test('with a comment in the name names whom it named before, to the last letter', async () => {
      const { slug } = await source();
      const browser = newBrowser(server());
      const inResponseTo = attributeOf(await depart(slug, browser), 'ID');
      const nameId = `${unique('admin')}.evil`;
      const good = about(slug, { inResponseTo, nameId });
      const text = responseMarkup(good, { markup: sign(assertionMarkup(good).markup) }).markup;
      const page = await bring(slug, browser, text.replace('.evil<', '<!-- -->.evil<'));
      await throughFlow(browser, page);
      expect((await browser.get('/core/users/me/')).body.user.username).toBe(nameId);
    });
  });

  test('a request to sign in that was wrapped, or signed elsewhere, is not answered', async () => {
    const verification_kp = await storePair(server(), { certificate: key.certificate });
    const sp = await makeServiceProvider(server(), { verification_kp });
    const browser = await visitor(server());
    const post = (message: string) =>
      browser.visit(sp.at('sso/binding/post/'), asForm({ SAMLRequest: encoded(message) }));
    const good = sign(authnRequest({ attributes: { ID: '_good' } }));
    const evil = authnRequest({ attributes: { ID: '_evil', ForceAuthn: 'false' } });
    for (const [name, forged] of Object.entries({ ...wrappedRequests(good, evil), 'no signature': evil })) {
      const { status, text } = await post(forged);
      expect([name, status, text.includes('SAMLResponse')]).toEqual([name, 400, false]);
    }
    const { location } = await post(good);
    expect(attributeOf(responseOn(await browser.visit(location ?? '')).root, 'InResponseTo')).toBe('_good');
  });

  test('a logout request to a SAML provider that was wrapped ends no session', async () => {
    const verification_kp = await storePair(server(), { certificate: key.certificate });
    const sp = await makeServiceProvider(server(), { sls_url: 'https://sp.example/slo', verification_kp });
    const known = async (browser: Visitor) => {
      const { root } = responseOn(await browser.visit(sp.at('init/')));
      const statement = elementOf(root, 'AuthnStatement');
      return {
        nameId: textIn(root, 'NameID') ?? '',
        index: (statement && attributeOf(statement, 'SessionIndex')) ?? '',
      };
    };
    const [attacker, victim] = [await visitor(server()), await visitor(server())];
    const [own, other] = [await known(attacker), await known(victim)];
    const good = createGood(own);
    const evil = logoutRequest(other.nameId, other.index, '_evil');
    for (const [name, message] of Object.entries(wrappedRequests(good, evil))) {
      const { status } = await stranger(server()).visit(
        sp.at('slo/binding/post/'),
        asForm({ SAMLRequest: encoded(message) }),
      );
      const body = `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>${message}</s:Body></s:Envelope>`;
      const soap = { method: 'POST', headers: { 'content-type': 'text/xml' }, body };
      const direct = await stranger(server()).visit(sp.at('slo/binding/soap/'), soap);
      expect([name, status, direct.status]).toEqual([name, 400, 400]);
    }
    expect((await server().admin.get(`/core/authenticated_sessions/${victim.session}/`)).status).toBe(200);

    function createGood({ nameId, index }: { nameId: string; index: string }) {
      return signXml(
        { markup: logoutRequest(nameId, index, '_good') },
        { ...key, privateKey: createPrivateKey(key.key) },
      ).markup;
    }
  });
});
