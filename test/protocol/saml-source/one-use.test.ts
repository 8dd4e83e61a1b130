import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { attributeOf } from '../../../src/lib/xml/element.ts';
import { signXml } from '../../../src/lib/xml/sign.ts';
import { runJob } from '../../support/jobs.ts';
import { makeWalk, unique } from '../../support/make-walk.ts';
import {
  assertionMarkup,
  type IdpKey,
  idpKey,
  responseMarkup,
  signedResponse,
  type Told,
} from '../../support/saml-idp.ts';
import { describeOnBoth, describeOnSqlite } from '../../support/server.ts';
import { signedInBrowser } from '../../support/signed-in-browser.ts';
import { leadsTo, newBrowser, type Page, saidOn, visit } from '../oauth-source/visitor.ts';
import { samlWalk } from './saml-walk.ts';

let key: IdpKey;
let other: IdpKey;
beforeAll(async () => {
  [key, other] = await Promise.all([idpKey(), idpKey()]);
});
const enrolled = '/if/flow/default-source-enrollment/';

describeOnBoth('answers of a SAML identity provider', (server) => {
  const { source, depart, about, post, bring, arrive, signIn, connectionsOf } = samlWalk(server, () => key);
  const refused = (page: Page, words: string, status = 400) => {
    expect([page.status, saidOn(page)]).toEqual([status, expect.stringContaining(words)]);
    expect(saidOn(page)).toMatch(/Back to .*|Request id: /);
    expect(saidOn(page)).toContain('Request id: ');
  };

  test('are accepted once, in the browser and for the source that sent the request', async () => {
    const { slug } = await source();
    const another = await source();
    const browser = newBrowser(server());
    const inResponseTo = attributeOf(await depart(slug, browser), 'ID');
    const answer = () => signedResponse(about(slug, { inResponseTo }), key);
    refused(await bring(slug, newBrowser(server()), answer()), 'was not requested by this browser');
    refused(await bring(another.slug, browser, answer()), 'Destination');
    const told = about(another.slug, { inResponseTo });
    refused(await bring(another.slug, browser, signedResponse(told, key)), 'was not requested by this browser');
    const good = answer();
    const handed = await post(slug, good);
    expect(handed.status).toBe(303);
    refused(await post(slug, good), 'Replay attack detected');
    expect(leadsTo(await visit(server(), browser, handed.location))).toBe(enrolled);
    refused(await visit(server(), browser, handed.location), 'was already used');
    refused(await bring(slug, browser, answer()), 'was not requested by this browser');
  });

  test('are remembered until they expire, and no longer', async () => {
    const { slug, pk } = await source();
    await arrive(slug);
    const rows = async () =>
      (
        await sql<{ expires: string }>`select expires from saml_source_assertions where source = ${pk}`.execute(
          server().world.db.read,
        )
      ).rows;
    const [row] = await rows();
    expect(Date.parse(row?.expires ?? '')).toBeGreaterThan(Date.now() + 300_000);
    await server().world.db.write((tx) =>
      sql`update saml_source_assertions set expires = '2000-01-01T00:00:00.000000Z' where source = ${pk}`.execute(tx),
    );
    await runJob(server(), 'clean_expired_models');
    expect(await rows()).toEqual([]);
  });

  test('are refused when unsolicited, unless the source allows it', async () => {
    const { slug } = await source();
    const unsolicited = (more: Partial<Told> = {}) => signedResponse(about(slug, more), key);
    refused(await post(slug, unsolicited()), 'IdP-initiated Logins are not allowed');
    await server().admin.patch(`/sources/saml/${slug}/`, { allow_idp_initiated: true });
    const page = (relayState: string) => bring(slug, newBrowser(server()), unsolicited(), { RelayState: relayState });
    expect(leadsTo(await page('/if/user/security/'))).toBe(`${enrolled}?next=%2Fif%2Fuser%2Fsecurity%2F`);
    for (const evil of ['https://evil.example/', '//evil.example', '/\\evil.example', 'javascript:alert(1)']) {
      expect(leadsTo(await page(evil))).toBe(enrolled);
    }
    // What says that it answers a request must answer one, even there.
    refused(await bring(slug, newBrowser(server()), unsolicited({ inResponseTo: '_nothing' })), 'was not requested');
  });

  test('do not link an account to the signed-in user when unsolicited', async () => {
    const { slug } = await source({ allow_idp_initiated: true });
    const browser = await signedInBrowser(server(), (await server().user()).pk);
    const unsolicited = (nameId: string) => signedResponse(about(slug, { nameId }), key);
    refused(await bring(slug, browser, unsolicited(unique('attacker'))), 'You are already signed in');
    expect(await connectionsOf(slug)).toEqual([]);
    const nameId = unique('own');
    const own = await signIn(slug, { nameId });
    const page = await bring(slug, own.browser, unsolicited(nameId), { RelayState: '/if/user/security/' });
    expect([page.status, page.location]).toEqual([302, '/if/user/security/']);
  });

  test('do not switch a signed-in person to another account', async () => {
    const { slug } = await source();
    const nameId = unique('first');
    const first = await signIn(slug, { nameId });
    const second = await server().user();
    const browser = await signedInBrowser(server(), second.pk);
    refused(await arrive(slug, { nameId }, browser, '?link'), 'is linked to another user');
    refused(await arrive(slug, { nameId }, browser), 'not as the owner');
    expect((await browser.get('/core/users/me/')).body.user.pk).toBe(second.pk);
    expect((await first.browser.get('/core/users/me/')).body.user.pk).toBe(first.user.pk);
  });

  const forged: Readonly<Record<string, [words: string, make: (told: Told) => string]>> = {
    'is unsigned': ['Nothing is signed', (told) => responseMarkup(told, assertionMarkup(told)).markup],
    'is signed by another key': ['is not valid', (told) => signedResponse(told, other)],
    'names somebody else than was signed': [
      'is not valid',
      (told) => signedResponse(told, key).replace(/(NameID [^>]*>)[^<]+/, '$1admin'),
    ],
    'wraps the signed assertion': [
      'exactly one',
      (told) =>
        responseMarkup(
          told,
          assertionMarkup({ ...told, assertionId: 'evil', nameId: 'admin' }),
          signXml(assertionMarkup(told), key),
        ).markup,
    ],
    'is over': [
      'not valid yet or expired',
      (told) => signedResponse({ ...told, notOnOrAfter: -120_000, notBefore: -300_000 }, key),
    ],
    'is for another audience': ['another audience', (told) => signedResponse({ ...told, audience: 'urn:else' }, key)],
    'is for another recipient': [
      'Recipient',
      (told) => signedResponse({ ...told, recipient: 'https://else.example/' }, key),
    ],
    'is from another issuer': ['Issuer', (told) => signedResponse({ ...told, idp: 'https://else.example/' }, key)],
    'says that it failed': [
      'SAML Status: NoPassive',
      (told) => signedResponse({ ...told, status: 'urn:oasis:names:tc:SAML:2.0:status:NoPassive' }, key),
    ],
    'has a document type': ['document type', (told) => `<!DOCTYPE x [<!ENTITY x "y">]>${signedResponse(told, key)}`],
    'is no XML': ['not well-formed', () => 'hello'],
  };
  for (const [name, [words, make]] of Object.entries(forged)) {
    test(`one that ${name} is refused with a reason, and uses nothing up`, async () => {
      const { slug } = await source({ idp_issuer: 'https://idp.example/metadata' });
      const browser = newBrowser(server());
      const inResponseTo = attributeOf(await depart(slug, browser), 'ID');
      refused(await bring(slug, browser, make(about(slug, { inResponseTo }))), words);
      const good = signedResponse(about(slug, { inResponseTo }), key);
      expect(leadsTo(await bring(slug, browser, good))).toBe(enrolled);
    });
  }

  test('are refused with a reason when they cannot be read', async () => {
    const { slug } = await source();
    const send = (form: Record<string, string>) =>
      visit(server(), newBrowser(server()), `/source/saml/${slug}/acs/`, { form });
    refused(await send({}), "does not contain 'SAMLResponse'");
    refused(await send({ SAMLResponse: '%%%' }), 'not encoded in base64');
    refused(await send({ SAMLResponse: 'A'.repeat(1_100_000) }), '', 400);
    refused(
      await visit(server(), newBrowser(server()), `/source/saml/${slug}/acs/`),
      'was already used, or has expired',
    );
    refused(await visit(server(), newBrowser(server()), `/source/saml/${slug}/acs/?answer=x%00`), 'was already used');
  });

  test('are never believed without a verification certificate', async () => {
    const { slug, verification_kp } = await source();
    const browser = newBrowser(server());
    const inResponseTo = attributeOf(await depart(slug, browser), 'ID');
    await server().admin.delete(`/crypto/certificatekeypairs/${verification_kp}/`);
    refused(
      await bring(slug, browser, signedResponse(about(slug, { inResponseTo }), key)),
      'no verification certificate',
    );
    refused(await visit(server(), browser, `/source/saml/${slug}/`), 'no verification certificate');
    const [event] = (await server().admin.get('/events/events/?action=configuration_error')).body.results;
    expect(event.context).toMatchObject({
      message: 'It has no verification certificate.',
      source: { name: `Source ${slug}` },
    });
  });

  test('a source without a verification certificate is offered neither at the sign-in nor to be linked', async () => {
    const { admin } = server();
    const { pk, slug, verification_kp } = await source();
    const walk = await makeWalk(server(), [['identification', { user_fields: ['username'], sources: [pk] }]], {
      designation: 'authentication',
    });
    const offered = async () => {
      const { body } = await newBrowser(server()).get(`/flows/executor/${walk.slug}/?query=`);
      const { body: settings } = await admin.get('/sources/all/user_settings/');
      const linkable = settings.filter(({ object_uid }: { object_uid: string }) => object_uid === slug);
      return [body.sources.length, linkable.length];
    };
    expect(await offered()).toEqual([1, 1]);
    await admin.patch(`/sources/saml/${slug}/`, { verification_kp: null });
    expect(await offered()).toEqual([0, 0]);
    await admin.patch(`/sources/saml/${slug}/`, { verification_kp });
    expect(await offered()).toEqual([1, 1]);
  });

  test('are limited per network', async () => {
    const { slug } = await source();
    let last = 0;
    for (let count = 0; count < 305 && last !== 429; count += 1) {
      last = (await visit(server(), newBrowser(server()), `/source/saml/${slug}/acs/`, { form: { a: 'b' } })).status;
    }
    expect(last).toBe(429);
  });
});

// Verifying one that is not signed by the right key took a second.
describeOnSqlite('answers that are refused', (server) => {
  const { source } = samlWalk(server, () => key);

  test('are limited more closely', async () => {
    const { slug } = await source();
    const form = { SAMLResponse: Buffer.from('<not-signed/>').toString('base64') };
    const answered: number[] = [];
    for (let count = 0; count < 61; count += 1) {
      answered.push((await visit(server(), newBrowser(server()), `/source/saml/${slug}/acs/`, { form })).status);
    }
    expect([answered.slice(0, 60).every((status) => status === 400), answered[60]]).toEqual([true, 429]);
  });
});
