import { createPrivateKey, createSign } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { generateCertificate } from '../../../src/lib/certificate/generate-certificate.ts';
import { statusCodes } from '../../../src/lib/saml/names.ts';
import { redirectUrl } from '../../../src/lib/saml/redirect-binding.ts';
import { attributeOf } from '../../../src/lib/xml/element.ts';
import { signXml } from '../../../src/lib/xml/sign.ts';
import { lastEvents } from '../../support/events.ts';
import { flowKey } from '../../support/make-walk.ts';
import { asForm, makeRelyingParty, stranger, visitor } from '../../support/relying-party.ts';
import {
  acs,
  attributesOf,
  authnRequest,
  deflated,
  elementOf,
  encoded,
  entityId,
  makeServiceProvider,
  nameIdPolicy,
  redirectQuery,
  responseOn,
  type SpPair,
  storePair,
  textIn,
} from '../../support/saml-sp.ts';
import { describeOnSqlite } from '../../support/server.ts';
import { findOpenssl, findXmlsec, opensslVerifyQuery, xmlsecDecrypt, xmlsecVerify } from '../../support/xmlsec.ts';

const [hasXmlsec, hasOpenssl] = [await findXmlsec(), await findOpenssl()];
const rsaSha256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
let pair: SpPair;
let other: SpPair;

beforeAll(async () => {
  const request = { commonName: 'sp', subjectAltNames: [], validityDays: 1, algorithm: 'rsa', rsaBits: 2048 } as const;
  [pair, other] = await Promise.all([generateCertificate(request), generateCertificate(request)]);
});

const redirected = 'sso/binding/redirect/';
const posted = 'sso/binding/post/';
const explicit = 'default-provider-authorization-explicit-consent';

describeOnSqlite('SAML single sign-on', (server) => {
  const told = async (action: string) => (await lastEvents(server(), 20)).filter((event) => event.action === action);
  const own = async () => (await server().admin.get('/crypto/certificatekeypairs/?has_key=true')).body.results;
  const ownCertificate = async () => {
    const [{ pk }] = (await own()).filter(({ name }: { name: string }) => name.startsWith('Gatehouse'));
    return (await server().admin.get(`/crypto/certificatekeypairs/${pk}/view_certificate/`)).body.data as string;
  };

  test('a person who is signed in is told of by a signed assertion, once for each request', async () => {
    const sp = await makeServiceProvider(server());
    const browser = await visitor(server());
    const before = Date.now();
    const request = authnRequest({ attributes: { ID: '_mine' } });
    const visit = await browser.visit(`${sp.at(redirected)}?${redirectQuery(request, { RelayState: 'a&b="c' })}`);
    const { root, text, relayState, to, status } = responseOn(visit);
    expect([to, relayState, status.code]).toEqual([acs, 'a&b="c', statusCodes.success]);
    if (hasXmlsec) await xmlsecVerify(text, await ownCertificate(), 'Assertion');

    const { publicUrl } = server().world.config;
    expect([...root.attributes].map(({ name }) => name)).toContain('Destination');
    expect(attributeOf(root, 'InResponseTo')).toBe('_mine');
    expect(textIn(root, 'Issuer')).toBe(`${publicUrl}/application/saml/${sp.slug}/metadata/`);
    expect(textIn(root, 'Audience')).toBe(entityId);
    const user = (await server().admin.get(`/core/users/${browser.person.pk}/`)).body;
    expect(textIn(root, 'NameID')).toBe(user.uid);
    expect(attributesOf(root)['http://schemas.gatehouse/2021/02/saml/username']).toEqual([user.username]);

    // In UTC, whatever the time zone of the server.
    const conditions = elementOf(root, 'Conditions');
    const at = (name: string) => Date.parse((conditions && attributeOf(conditions, name)) ?? '');
    expect(Math.abs(at('NotBefore') - (before - 5 * 60_000))).toBeLessThan(60_000);
    expect(Math.abs(at('NotOnOrAfter') - (before + 5 * 60_000))).toBeLessThan(60_000);
    const data = elementOf(root, 'SubjectConfirmationData');
    expect(data && [attributeOf(data, 'Recipient'), attributeOf(data, 'InResponseTo')]).toEqual([acs, '_mine']);

    const [event] = await told('authorize_application');
    expect(event).toMatchObject({
      app: 'svc_providers_saml',
      username: user.username,
      context: { authorized_application: { name: sp.application.name }, service_provider: entityId },
    });
    const { rows } = await sql`select session, name_id from saml_logins where provider = ${sp.provider.pk}`.execute(
      server().world.db.read,
    );
    expect(rows).toEqual([{ session: browser.session, name_id: user.uid }]);
  });

  test('a user who is not signed in signs in first, each tab with its own request, and stores nothing before', async () => {
    const sp = await makeServiceProvider(server());
    const nobody = stranger(server());
    const tabs = ['_first', '_second'];
    const pages = [];
    for (const ID of tabs) {
      const query = redirectQuery(authnRequest({ attributes: { ID } }), { RelayState: ID });
      pages.push(await nobody.visit(`${sp.at(redirected)}?${query}`));
    }
    expect(pages.map(({ location }) => location?.pathname)).toEqual(
      Array(2).fill('/if/flow/default-authentication-flow/'),
    );
    const browser = await visitor(server());
    for (const [index, { location }] of pages.entries()) {
      const { root, relayState } = responseOn(await browser.visit(location?.searchParams.get('next') ?? ''));
      expect([attributeOf(root, 'InResponseTo'), relayState]).toEqual([tabs[index], tabs[index]]);
    }
  });

  test('the host of the ACS URL may be written in other letters', async () => {
    const sp = await makeServiceProvider(server());
    const browser = await visitor(server());
    const AssertionConsumerServiceURL = 'HTTPS://SP.Example/acs';
    const query = redirectQuery(authnRequest({ attributes: { AssertionConsumerServiceURL } }));
    const { to, status } = responseOn(await browser.visit(`${sp.at(redirected)}?${query}`));
    expect([to, status.code]).toEqual([acs, statusCodes.success]);
  });

  test('a request by POST goes on by GET, so that the browser brings its session', async () => {
    const sp = await makeServiceProvider(server());
    const browser = await visitor(server());
    for (const path of [posted, redirected, '']) {
      const form = asForm({ SAMLRequest: encoded(authnRequest({ attributes: { ID: '_posted' } })), RelayState: 'r' });
      const sent = await stranger(server()).visit(sp.at(path), form);
      expect([sent.status, sent.location?.pathname]).toEqual([303, sp.at('')]);
      const { root, relayState } = responseOn(await browser.visit(sent.location ?? ''));
      expect([attributeOf(root, 'InResponseTo'), relayState]).toEqual(['_posted', 'r']);
    }
  });

  test('a user can begin here, with the default relay state and no request to answer', async () => {
    const sp = await makeServiceProvider(server(), { default_relay_state: 'start' });
    const browser = await visitor(server());
    for (const path of ['sso/binding/init/', 'init/']) {
      const { root, relayState, text } = responseOn(await browser.visit(sp.at(path)));
      expect([attributeOf(root, 'InResponseTo'), relayState]).toEqual([null, 'start']);
      expect(text).not.toContain('InResponseTo');
    }
  });

  test('a response by redirect is signed in its address, beside what the address has', async () => {
    const sp = await makeServiceProvider(server(), { sp_binding: 'redirect', acs_url: `${acs}?tenant=1` });
    const browser = await visitor(server());
    const request = authnRequest({ attributes: { AssertionConsumerServiceURL: `${acs}?tenant=1` } });
    const { location } = await browser.visit(`${sp.at(redirected)}?${redirectQuery(request)}`);
    expect(location?.href).toMatch(/^https:\/\/sp\.example\/acs\?tenant=1&SAMLResponse=/);
    expect([...(location?.searchParams.keys() ?? [])]).toEqual(['tenant', 'SAMLResponse', 'SigAlg', 'Signature']);
    if (hasOpenssl) await opensslVerifyQuery(location?.search.slice(1) ?? '', await ownCertificate());
  });

  test('addresses of other applications and of none are not found', async () => {
    const browser = await visitor(server());
    expect((await browser.visit('/application/saml/nothing/metadata/')).status).toBe(404);
    expect((await browser.visit('/application/saml/nothing/sso/binding/init/')).status).toBe(404);
    const party = await makeRelyingParty(server());
    expect((await browser.visit(`/application/saml/${party.slug}/init/`)).status).toBe(404);
    const sp = await makeServiceProvider(server());
    // No redirect, which some service providers do not follow.
    const { status, headers, text } = await stranger(server()).visit(sp.at('metadata/'));
    expect([status, headers.get('content-type')]).toEqual([200, 'application/samlmetadata+xml; charset=utf-8']);
    const { metadata } = (await server().nobody.get(`/providers/saml/${sp.provider.pk}/metadata/`)).body;
    expect(text).toBe(metadata);
  });

  describe('signs and encrypts', () => {
    const cases: [string, Record<string, unknown>, string[]][] = [
      ['assertions', { sign_assertion: true, sign_response: false }, ['Assertion']],
      ['responses', { sign_assertion: false, sign_response: true }, ['Response']],
      ['both', { sign_assertion: true, sign_response: true }, ['Response', 'Assertion']],
    ];
    test.each(cases)('%s', async (_name, values, signed) => {
      const sp = await makeServiceProvider(server(), values);
      const { text, root } = responseOn(await (await visitor(server())).visit(sp.at('init/')));
      const holders = [root, elementOf(root, 'Assertion')].filter((element) =>
        element?.children.some((child) => typeof child !== 'string' && child.local === 'Signature'),
      );
      expect(holders.map((element) => element?.local)).toEqual(signed);
      if (!hasXmlsec) return;
      await xmlsecVerify(text, await ownCertificate(), signed[0] ?? '');
      // xmlsec1 verifies the first signature; inside another, the second stands alone.
      const inner = /<saml:Assertion .*<\/saml:Assertion>/.exec(text)?.[0] ?? '';
      if (signed.includes('Assertion')) await xmlsecVerify(inner, await ownCertificate(), 'Assertion');
    });

    const ciphers = ['http://www.w3.org/2001/04/xmlenc#aes256-cbc', 'http://www.w3.org/2009/xmlenc11#aes256-gcm'];
    test.each(ciphers)('for a certificate by %s', async (encryption_algorithm) => {
      const encryption_kp = await storePair(server(), { certificate: pair.certificate });
      const sp = await makeServiceProvider(server(), { encryption_kp, encryption_algorithm, sign_response: true });
      const browser = await visitor(server());
      const { text } = responseOn(await browser.visit(sp.at('init/')));
      expect(text).not.toContain(browser.person.username);
      expect(text).toContain(encryption_algorithm);
      if (!hasXmlsec) return;
      await xmlsecVerify(text, await ownCertificate(), 'Response');
      const opened = await xmlsecDecrypt(text, pair.key);
      expect(opened).toContain(browser.person.username);
      const inner = /<saml:Assertion .*<\/saml:Assertion>/s.exec(opened)?.[0] ?? '';
      await xmlsecVerify(inner, await ownCertificate(), 'Assertion');
    });

    test('nothing without a key', async () => {
      const sp = await makeServiceProvider(server(), { signing_kp: null });
      // As earlier versions stored it.
      const off = sql`update provider_saml set sign_assertion = ${false} where pk = ${sp.provider.pk}`;
      await server().world.db.write((tx) => off.execute(tx));
      const { text } = responseOn(await (await visitor(server())).visit(sp.at('init/')));
      const { body } = await server().nobody.get(`/providers/saml/${sp.provider.pk}/metadata/`);
      for (const document of [text, body.metadata]) expect(document).not.toMatch(/Signature|KeyDescriptor/);
    });

    test('with an EC key', async () => {
      const ec = await generateCertificate({
        commonName: 'ec',
        subjectAltNames: [],
        validityDays: 1,
        algorithm: 'ecdsa',
      });
      const sp = await makeServiceProvider(server(), { signing_kp: await storePair(server(), ec) });
      const { text } = responseOn(await (await visitor(server())).visit(sp.at('init/')));
      expect(text).toContain('ecdsa-sha256');
      if (hasXmlsec) await xmlsecVerify(text, ec.certificate, 'Assertion');
    });
  });

  test('attributes are escaped, lists have one value each, null is left out, and a broken mapping keeps no user out', async () => {
    const expressions: Record<string, string> = {
      list: 'return ["a", "<b>&", null, 3]',
      object: 'return {a: true}',
      nothing: 'return null',
      broken: 'return nothing.here',
    };
    const property_mappings: string[] = [];
    for (const [saml_name, expression] of Object.entries(expressions)) {
      const body = { name: `${saml_name} ${Math.random()}`, saml_name, friendly_name: 'Friendly', expression };
      property_mappings.push((await server().admin.post('/propertymappings/provider/saml/', body)).body.pk);
    }
    const sp = await makeServiceProvider(server(), { property_mappings });
    const { root, text } = responseOn(await (await visitor(server())).visit(sp.at('init/')));
    expect(attributesOf(root)).toEqual({ list: ['a', '<b>&', '3'], object: ['{"a":true}'] });
    expect(text).toContain('FriendlyName="Friendly"');
    const [event] = await told('configuration_error');
    expect(event?.context.message).toMatch(/^Failed to evaluate property-mapping: 'broken/);
    if (hasXmlsec) await xmlsecVerify(text, await ownCertificate(), 'Assertion');
  });

  test('who is not signed in goes through the authentication flow of the provider', async () => {
    const slug = `only-here-${Date.now()}`;
    const flow = await server().admin.post('/flows/instances/', {
      name: slug,
      slug,
      title: 'Sign in for payroll',
      designation: 'authentication',
    });
    const sp = await makeServiceProvider(server(), { authentication_flow: flow.body.pk });
    const { location } = await stranger(server()).visit(sp.at('init/'));
    expect(location?.pathname).toBe(`/if/flow/${slug}/`);
  });

  test('who signs in first is told for which application', async () => {
    const sp = await makeServiceProvider(server());
    const { location } = await stranger(server()).visit(sp.at('init/'));
    const shown = async (query: string) => {
      const path = `/flows/executor/default-authentication-flow/?query=${encodeURIComponent(query)}`;
      return (await server().nobody.get(path)).body.application_pre;
    };
    expect(await shown(location?.search.slice(1) ?? '')).toBe(sp.application.name);
    await server().admin.patch(`/core/applications/${sp.slug}/`, { enabled: false });
    for (const slug of [sp.slug, 'nothing', '%00']) expect(await shown(`application=${slug}`)).toBeUndefined();
  });

  test('nothing is sent to an address that is no web address, however it came to be stored', async () => {
    const sp = await makeServiceProvider(server());
    await server().world.db.write((tx) =>
      sql`update provider_saml set acs_url = 'javascript:alert(1)' where pk = ${sp.provider.pk}`.execute(tx),
    );
    const { status, text } = await (await visitor(server())).visit(sp.at('init/'));
    expect([status, text.includes('javascript:'), text.includes('SAMLResponse')]).toEqual([500, false, false]);
  });

  test('a provider without mappings sends no empty statement of attributes', async () => {
    const sp = await makeServiceProvider(server(), { property_mappings: [] });
    const { text } = responseOn(await (await visitor(server())).visit(sp.at('init/')));
    expect(text).not.toContain('AttributeStatement');
  });

  describe('a request is shown as a page, and told of by an event, when', () => {
    // Events are recorded a few times only: this one comes first.
    test('it comes by POST as well', async () => {
      const sp = await makeServiceProvider(server());
      const wrong = authnRequest({ attributes: { AssertionConsumerServiceURL: 'https://evil.example/' } });
      const { status } = await stranger(server()).visit(sp.at(posted), asForm({ SAMLRequest: encoded(wrong) }));
      expect(status).toBe(400);
      const messages = (await told('configuration_error')).map(({ context }) => context.message);
      expect(messages.some((message) => String(message).includes('evil.example'))).toBe(true);
    });

    const query = (message: string, more = {}) => redirectQuery(message, more);
    const later = (ms: number) => new Date(Date.now() + ms).toISOString();
    const faults: [string, () => string, RegExp][] = [
      ['it is missing', () => '', /payload is missing/],
      ['it is empty', () => 'SAMLRequest=', /./],
      ['it is no base64', () => 'SAMLRequest=%25%25', /./],
      ['it is no XML', () => query('hello'), /well-formed/],
      ['it has a document type', () => query(`<!DOCTYPE a>${authnRequest()}`), /document type/],
      ['it has entities', () => query(`<!DOCTYPE a [<!ENTITY b "c">]>${authnRequest()}`), /document type/],
      ['it has no ID', () => query(authnRequest({ attributes: { ID: null } })), /no ID/],
      ['it is of SAML 1.1', () => query(authnRequest({ attributes: { Version: '1.1' } })), /version 2.0/],
      ['it is old', () => query(authnRequest({ attributes: { IssueInstant: later(-3_600_000) } })), /too old/],
      [
        'it is from the future',
        () => query(authnRequest({ attributes: { IssueInstant: later(3_600_000) } })),
        /future/,
      ],
      ['its time is none', () => query(authnRequest({ attributes: { IssueInstant: 'now' } })), /not a date and time/],
      [
        'it is for another server',
        () => query(authnRequest({ attributes: { Destination: 'https://other.example/sso' } })),
        /not an address of this/,
      ],
      [
        'it names another address for the response',
        () => query(authnRequest({ attributes: { AssertionConsumerServiceURL: 'https://evil.example/acs' } })),
        /ACS URL of https:\/\/evil\.example\/acs doesn&#39;t match|ACS URL of/,
      ],
      [
        'the address differs by a letter’s case',
        () => query(authnRequest({ attributes: { AssertionConsumerServiceURL: acs.replace('acs', 'ACS') } })),
        /ACS URL of/,
      ],
      [
        'the address is a part of ours',
        () => query(authnRequest({ attributes: { AssertionConsumerServiceURL: `${acs}/../evil` } })),
        /ACS URL of/,
      ],
      [
        'it is another message',
        () => query(authnRequest().replaceAll('AuthnRequest', 'AttributeQuery')),
        /Unsupported/,
      ],
      ['its relay state is endless', () => query(authnRequest(), { RelayState: 'x'.repeat(5_000) }), /too long/],
      ['it comes twice', () => `${query(authnRequest())}&SAMLRequest=x`, /twice/],
      ['it is spelled in two ways', () => `${query(authnRequest())}&%53AMLRequest=x`, /twice/],
    ];
    test.each(faults)('%s', async (_name, write, words) => {
      const sp = await makeServiceProvider(server());
      const browser = await visitor(server());
      const { status, text, location } = await browser.visit(`${sp.at(redirected)}?${write()}`);
      expect([status, location]).toEqual([400, null]);
      expect(text).toMatch(words);
      expect(text).not.toContain('SAMLResponse');
    });
  });

  const unusual: [string, () => URLSearchParams | string][] = [
    ['that is not compressed', () => new URLSearchParams({ SAMLRequest: encoded(authnRequest()) })],
    [
      'that names its address by a number',
      () =>
        redirectQuery(
          authnRequest({
            attributes: { AssertionConsumerServiceURL: null, AssertionConsumerServiceIndex: '7', ProtocolBinding: 'x' },
          }),
        ),
    ],
    ['with a RelayState above 80 characters', () => redirectQuery(authnRequest(), { RelayState: 'r'.repeat(500) })],
  ];
  test.each(unusual)(
    'a request %s is answered at the address of the provider, wherever it comes',
    async (_name, write) => {
      const sp = await makeServiceProvider(server());
      const browser = await visitor(server());
      for (const path of [redirected, posted, '']) {
        const query = write();
        const { to, relayState } = responseOn(await browser.visit(`${sp.at(path)}?${query}`));
        expect([to, relayState]).toEqual([acs, new URLSearchParams(query).get('RelayState') ?? undefined]);
      }
    },
  );

  describe('with a certificate of the service provider', () => {
    const signedBy = ({ key }: SpPair, query: string) => {
      const whole = `${query}&SigAlg=${encodeURIComponent(rsaSha256)}`;
      const signature = createSign('sha256').update(whole).sign(createPrivateKey(key), 'base64');
      return `${whole}&Signature=${encodeURIComponent(signature)}`;
    };
    const enveloped = (message: string, { key, certificate }: SpPair) =>
      signXml(
        { markup: message },
        {
          privateKey: createPrivateKey(key),
          certificate,
          signatureAlgorithm: rsaSha256,
          digestAlgorithm: 'http://www.w3.org/2001/04/xmlenc#sha256',
        },
      ).markup;
    const make = async () =>
      makeServiceProvider(server(), { verification_kp: await storePair(server(), { certificate: pair.certificate }) });

    test('requests that it signed are taken, by redirect and by POST', async () => {
      const sp = await make();
      const browser = await visitor(server());
      const query = signedBy(pair, `SAMLRequest=${encodeURIComponent(deflated(authnRequest()))}&RelayState=a+b`);
      expect(responseOn(await browser.visit(`${sp.at(redirected)}?${query}`)).relayState).toBe('a b');
      const form = asForm({ SAMLRequest: encoded(enveloped(authnRequest(), pair)) });
      const { location } = await browser.visit(sp.at(posted), form);
      expect(responseOn(await browser.visit(location ?? '')).to).toBe(acs);
    });

    test('requests that it signed with an EC key are taken by redirect', async () => {
      const request = { commonName: 'ec', subjectAltNames: [], validityDays: 1, algorithm: 'ecdsa' } as const;
      const ec = await generateCertificate(request);
      const verification_kp = await storePair(server(), { certificate: ec.certificate });
      const sp = await makeServiceProvider(server(), { verification_kp });
      const key = {
        privateKey: createPrivateKey(ec.key),
        signatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256',
      };
      const message = { name: 'SAMLRequest', message: { markup: authnRequest() }, relayState: null, key } as const;
      const browser = await visitor(server());
      expect(responseOn(await browser.visit(redirectUrl(sp.at(redirected), message))).to).toBe(acs);
    });

    const plain = () => `SAMLRequest=${encodeURIComponent(deflated(authnRequest()))}`;
    const refused: [string, () => string, RegExp][] = [
      ['no signature', plain, /not signed/],
      ['the signature of somebody else', () => signedBy(other, plain()), /Failed to verify/],
      ['another relay state', () => signedBy(pair, `${plain()}&RelayState=a`).replace('State=a', 'State=b'), /Failed/],
      ['another request', () => signedBy(pair, plain()).replace(/SAMLRequest=[^&]*/, plain()), /Failed/],
      [
        'SHA-1',
        () =>
          signedBy(pair, plain()).replace(
            encodeURIComponent(rsaSha256),
            encodeURIComponent('http://www.w3.org/2000/09/xmldsig#rsa-sha1'),
          ),
        /Failed/,
      ],
      ['an unknown algorithm', () => signedBy(pair, plain()).replace('rsa-sha256', 'rsa-md5'), /Failed/],
    ];
    test.each(refused)('by redirect, %s is refused', async (_name, write, words) => {
      const sp = await make();
      const { status, text } = await (await visitor(server())).visit(`${sp.at(redirected)}?${write()}`);
      expect([status, text]).toEqual([400, expect.stringMatching(words)]);
    });

    const wrapped = (evil: string, good: string) =>
      evil.replace('</samlp:AuthnRequest>', `${good}</samlp:AuthnRequest>`);
    const attacks: [string, () => string][] = [
      ['no signature', () => authnRequest()],
      ['the signature of somebody else', () => enveloped(authnRequest(), other)],
      ['a changed request', () => enveloped(authnRequest(), pair).replace('Version=', 'ForceAuthn="true" Version=')],
      ['a good request inside an evil one', () => wrapped(authnRequest(), enveloped(authnRequest(), pair))],
      [
        'the signature of a good request, which stands in Extensions',
        () => {
          const good = enveloped(authnRequest({ attributes: { ID: '_good' } }), pair);
          const signature = /<ds:Signature .*<\/ds:Signature>/s.exec(good)?.[0] ?? '';
          const bare = good.replace(signature, '');
          return authnRequest({
            attributes: { ID: '_evil' },
            inside: `${signature}<samlp:Extensions>${bare}</samlp:Extensions>`,
          });
        },
      ],
      [
        'two signatures',
        () => {
          const good = enveloped(authnRequest(), pair);
          const signature = /<ds:Signature .*<\/ds:Signature>/s.exec(good)?.[0] ?? '';
          return good.replace(signature, signature + signature);
        },
      ],
    ];
    test.each(attacks)('by POST, %s is refused', async (_name, write) => {
      const sp = await make();
      const { status, location } = await stranger(server()).visit(
        sp.at(posted),
        asForm({ SAMLRequest: encoded(write()) }),
      );
      expect([status, location]).toEqual([400, null]);
    });
  });

  test('a person who agrees is signed in by a ticket that serves once', async () => {
    const sp = await makeServiceProvider(server(), { authorization_flow: await flowKey(server(), explicit) });
    const browser = await visitor(server());
    const { location } = await browser.visit(`${sp.at(redirected)}?${redirectQuery(authnRequest())}`);
    expect(location?.pathname).toBe(`/if/flow/${explicit}/`);
    const to = await browser.agree(explicit);
    expect(responseOn(await browser.visit(to)).status.code).toBe(statusCodes.success);
    expect((await browser.visit(to)).status).toBe(400);
  });

  test('a person who begins here and declines is told on a page', async () => {
    const sp = await makeServiceProvider(server(), { authorization_flow: await flowKey(server(), explicit) });
    const browser = await visitor(server());
    await browser.visit(sp.at('init/'));
    const { token } = await browser.answerStep(explicit);
    const page = await browser.visit((await browser.answerStep(explicit, { token, refused: true })).to);
    expect([page.status, page.text.includes('SAMLResponse')]).toEqual([403, false]);
  });

  describe('the service provider is told by a status when', () => {
    const ask = async (values: Record<string, unknown>, parts: Parameters<typeof authnRequest>[0]) => {
      const sp = await makeServiceProvider(server(), values);
      const browser = await visitor(server());
      return {
        sp,
        browser,
        visit: () => browser.visit(`${sp.at(redirected)}?${redirectQuery(authnRequest(parts), { RelayState: 'r' })}`),
      };
    };

    test('the policies of the application deny, or the person who begins here is told on a page', async () => {
      const { sp, browser, visit } = await ask({}, { attributes: { ID: '_denied' } });
      const group = (await server().admin.post('/core/groups/', { name: `only ${sp.slug}` })).body.pk;
      await server().admin.post('/policies/bindings/', { target: sp.application.pk, group, order: 0 });
      const { root, status, to, relayState, text } = responseOn(await visit());
      expect([to, relayState, attributeOf(root, 'InResponseTo')]).toEqual([acs, 'r', '_denied']);
      expect([status.code, status.detail]).toEqual([statusCodes.responder, statusCodes.requestDenied]);
      expect(text).not.toContain('<saml:Assertion');
      if (hasXmlsec) await xmlsecVerify(text, await ownCertificate(), 'Response');
      const page = await browser.visit(sp.at('init/'));
      expect([page.status, page.text.includes('SAMLResponse')]).toEqual([403, false]);
    });

    test('the person declines, once; asked again, they may agree', async () => {
      const { browser, visit } = await ask(
        { authorization_flow: await flowKey(server(), explicit) },
        { attributes: { ID: '_declined' } },
      );
      await visit();
      const { token } = await browser.answerStep(explicit);
      const { to } = await browser.answerStep(explicit, { token, refused: true });
      const { root, status, text, relayState, to: address } = responseOn(await browser.visit(to));
      expect([address, relayState, attributeOf(root, 'InResponseTo')]).toEqual([acs, 'r', '_declined']);
      expect([status.code, status.detail]).toEqual([statusCodes.responder, statusCodes.requestDenied]);
      expect(text).not.toContain('<saml:Assertion');
      expect((await browser.visit(to)).status).toBe(400);
      await visit();
      expect(responseOn(await browser.visit(await browser.agree(explicit))).status.code).toBe(statusCodes.success);
    });

    test('no user is signed in and no page may be shown', async () => {
      const { sp } = await ask({}, {});
      const query = redirectQuery(authnRequest({ attributes: { IsPassive: 'true' } }));
      const { status } = responseOn(await stranger(server()).visit(`${sp.at(redirected)}?${query}`));
      expect(status.detail).toBe(statusCodes.noPassive);
    });

    test('consent would have to be asked for and no page may be shown', async () => {
      const { visit } = await ask(
        { authorization_flow: await flowKey(server(), explicit) },
        { attributes: { IsPassive: '1' } },
      );
      expect(responseOn(await visit()).status.detail).toBe(statusCodes.noPassive);
    });

    test('it asks for a format of names that there is not', async () => {
      const { visit } = await ask({}, { inside: nameIdPolicy('urn:nobody:knows') });
      expect(responseOn(await visit()).status.detail).toBe(statusCodes.invalidNameIdPolicy);
    });

    test('it asks for a way of signing in that the person did not take', async () => {
      const context = (name: string, comparison = 'exact') =>
        `<samlp:RequestedAuthnContext Comparison="${comparison}"><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:${name}</saml:AuthnContextClassRef></samlp:RequestedAuthnContext>`;
      const strong = await ask({}, { inside: context('MobileTwoFactorContract', 'minimum') });
      expect(responseOn(await strong.visit()).status.detail).toBe(statusCodes.noAuthnContext);
      const weak = await ask({}, { inside: context('unspecified') });
      expect(responseOn(await weak.visit()).status.code).toBe(statusCodes.success);
    });
  });

  test('ForceAuthn has the person sign in again, once', async () => {
    const sp = await makeServiceProvider(server());
    const browser = await visitor(server());
    const query = redirectQuery(authnRequest({ attributes: { ForceAuthn: 'true' } }));
    const { location } = await browser.visit(`${sp.at(redirected)}?${query}`);
    expect(location?.pathname).toBe('/if/flow/default-authentication-flow/');
    const next = location?.searchParams.get('next') ?? '';
    // Who has not signed in since then is sent there again.
    expect((await browser.visit(next)).location?.pathname).toBe('/if/flow/default-authentication-flow/');
    const { pk } = browser.person;
    await server().world.db.write((tx) =>
      sql`update authenticated_sessions set created = ${server().world.clock.now()} where "user" = ${pk}`.execute(tx),
    );
    expect(responseOn(await browser.visit(next)).status.code).toBe(statusCodes.success);
  });

  test('what this server has sealed serves one application, and nobody writes it', async () => {
    const [one, two] = [await makeServiceProvider(server()), await makeServiceProvider(server())];
    const browser = await visitor(server());
    const form = asForm({ SAMLRequest: encoded(authnRequest()) });
    const { location } = await stranger(server()).visit(one.at(posted), form);
    expect((await browser.visit(`${two.at('')}${location?.search}`)).status).toBe(400);
    expect((await browser.visit(`${one.at('')}?request=forged`)).status).toBe(400);
    expect((await browser.visit(`${one.at('')}?ticket=forged`)).status).toBe(400);
  });
});
