import { X509Certificate } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import {
  readLogoutRequest,
  readLogoutResponse,
  writeLogoutRequest,
  writeLogoutResponse,
} from '../../../src/lib/saml/logout.ts';
import { newMessageId } from '../../../src/lib/saml/message.ts';
import { nameIdFormats, statusCodes } from '../../../src/lib/saml/names.ts';
import { decodePost, encodePost } from '../../../src/lib/saml/post-binding.ts';
import { readRedirect, redirectUrl } from '../../../src/lib/saml/redirect-binding.ts';
import { signXml } from '../../../src/lib/xml/sign.ts';
import { verifySigned } from '../../../src/lib/xml/verify.ts';
import type { Markup } from '../../../src/lib/xml/write-xml.ts';
import { eventsDuring } from '../../support/events.ts';
import type { Browser } from '../../support/flow-client.ts';
import { unique } from '../../support/make-walk.ts';
import { type IdpKey, idpKey } from '../../support/saml-idp.ts';
import { isSignedIn } from '../../support/second-factor.ts';
import { describeOnSqlite } from '../../support/server.ts';
import { formOn, newBrowser, saidOn, throughFlow, visit } from '../oauth-source/visitor.ts';
import { parse, samlWalk } from './saml-walk.ts';

let key: IdpKey;
let ours: IdpKey;
let other: IdpKey;
beforeAll(async () => {
  [key, ours, other] = await Promise.all([idpKey(), idpKey(), idpKey()]);
});
const slo_url = 'https://idp.example/slo';
const idp = 'https://idp.example/metadata';

describeOnSqlite('signing out with a SAML source', (server) => {
  const walk = samlWalk(server, () => key);
  const { signIn, address, pair } = walk;
  const source = async (values: Record<string, unknown> = {}) =>
    walk.source({ slo_url, signing_kp: await pair(ours), idp_issuer: idp, ...values });
  const ourKeys = () => [new X509Certificate(ours.certificate).publicKey];
  /** Signs out here; where the browser is sent. */
  const signOut = async (browser: Browser) => String((await browser.answer('default-invalidation-flow', {})).body.to);

  const requestFor = (slug: string, nameId: string, more: Partial<Parameters<typeof writeLogoutRequest>[0]> = {}) =>
    writeLogoutRequest({
      id: newMessageId(),
      issuer: idp,
      destination: address(slug, 'slo/'),
      now: new Date(),
      nameId: { value: nameId, format: nameIdFormats.persistent, qualifier: null, spQualifier: null },
      sessionIndexes: ['session-1'],
      ...more,
    });
  const byRedirect = (
    slug: string,
    name: 'SAMLRequest' | 'SAMLResponse',
    message: Markup,
    signer: IdpKey | null = key,
  ) => {
    const url = redirectUrl(address(slug, 'slo/'), { name, message, relayState: 'theirs', key: signer });
    return `/source/saml/${slug}/slo/?${url.split('?')[1]}`;
  };

  test('by redirect, the identity provider is asked, and its answer leads on', async () => {
    const { slug } = await source();
    const nameId = unique('leaver');
    const { browser } = await signIn(slug, { nameId, sessionIndex: 'index-7' });
    const detour = await signOut(browser);
    expect(detour).toMatch(`/source/saml/${slug}/slo/?session=`);
    expect(await isSignedIn(browser)).toBe(false);
    const page = await visit(server(), browser, detour);
    const asked = readRedirect(page.location.split('?')[1] ?? '');
    expect([page.location.split('?')[0], asked.isSignedBy(ourKeys())]).toEqual([slo_url, true]);
    const request = readLogoutRequest(parse(asked.text));
    expect(request).toMatchObject({ nameId: { value: nameId }, sessionIndexes: ['index-7'], destination: slo_url });
    expect(request.issuer).toBe(address(slug, 'metadata/'));
    const answer = writeLogoutResponse({
      ...{ id: newMessageId(), issuer: idp, destination: address(slug, 'slo/'), now: new Date() },
      ...{ inResponseTo: request.id, code: statusCodes.success },
    });
    const forged = await visit(server(), browser, byRedirect(slug, 'SAMLResponse', answer, other));
    expect([forged.status, saidOn(forged)]).toEqual([400, expect.stringContaining('signature')]);
    const back = await visit(server(), browser, byRedirect(slug, 'SAMLResponse', answer));
    expect(back.status).toBe(302);
    expect(back.location).toMatch(/^\//);
    expect((await visit(server(), browser, byRedirect(slug, 'SAMLResponse', answer))).status).toBe(400);
    // The way there is good once, and leads nowhere else.
    expect((await visit(server(), browser, detour)).location).toBe(back.location);
    const bent = await visit(server(), browser, detour.replace(/to=[^&]*/, 'to=https%3A%2F%2Fevil.example'));
    expect(bent.status).toBe(400);
  });

  test('by form, the request is signed inside, and a failed answer is told', async () => {
    const { slug, name } = await source({ binding_type: 'POST_AUTO' });
    const { browser } = await signIn(slug);
    const { action, members } = formOn(await visit(server(), browser, await signOut(browser)));
    expect(action).toBe(slo_url);
    const request = readLogoutRequest(verifySigned(parse(decodePost(members.SAMLRequest ?? '')), ourKeys()));
    const answer = writeLogoutResponse({
      ...{ id: newMessageId(), issuer: idp, destination: address(slug, 'slo/'), now: new Date() },
      ...{ inResponseTo: request.id, code: statusCodes.responder },
    });
    const form = { SAMLResponse: encodePost(signXml(answer, key)) };
    const page = await visit(server(), newBrowser(server()), `/source/saml/${slug}/slo/`, { form });
    expect([page.status, saidOn(page)]).toEqual([
      200,
      expect.stringContaining(`${name} could not sign you out everywhere`),
    ]);
  });

  test('a session that did not come by the source, or whose source wants none, ends here alone', async () => {
    const { slug } = await walk.source();
    const { browser } = await signIn(slug);
    expect(await signOut(browser)).not.toContain('/source/saml/');
    expect(await isSignedIn(browser)).toBe(false);
  });

  for (const binding of ['redirect', 'post'] as const) {
    test(`a signed request of the identity provider by ${binding} ends the sessions it names, and is answered`, async () => {
      const { slug } = await source();
      const nameId = unique('named');
      const [one, two, bystander] = [
        await signIn(slug, { nameId, sessionIndex: 'session-1' }),
        await signIn(slug, { nameId, sessionIndex: 'session-2' }),
        await signIn(slug, { sessionIndex: 'session-1' }),
      ];
      const ask = async (message: Markup) => {
        if (binding === 'redirect') {
          const page = await visit(server(), newBrowser(server()), byRedirect(slug, 'SAMLRequest', message));
          const read = readRedirect(page.location.split('?')[1] ?? '');
          return { text: read.text, relayState: read.relayState, isSigned: read.isSignedBy(ourKeys()) };
        }
        const form = { SAMLRequest: encodePost(signXml(message, key)), RelayState: 'theirs' };
        const { action, members } = formOn(
          await visit(server(), newBrowser(server()), `/source/saml/${slug}/slo/`, { form }),
        );
        expect(action).toBe(slo_url);
        const text = decodePost(members.SAMLResponse ?? '');
        return { text, relayState: members.RelayState, isSigned: Boolean(verifySigned(parse(text), ourKeys())) };
      };
      const events = await eventsDuring(server(), async () => {
        const { text, relayState, isSigned } = await ask(requestFor(slug, nameId));
        expect([relayState, isSigned]).toEqual(['theirs', true]);
        expect(readLogoutResponse(parse(text)).status.code).toBe(statusCodes.success);
      });
      expect(events).toMatchObject([{ action: 'logout', username: nameId, context: { sessions: 1 } }]);
      const still = async () => Promise.all([one, two, bystander].map(({ browser }) => isSignedIn(browser)));
      expect(await still()).toEqual([false, true, true]);
      await ask(requestFor(slug, nameId, { sessionIndexes: [] }));
      expect(await still()).toEqual([false, false, true]);
    });
  }

  test('a request that comes again, by any binding, ends no later session', async () => {
    const { slug } = await source();
    const nameId = unique('again');
    const request = requestFor(slug, nameId, { sessionIndexes: [] });
    const first = await signIn(slug, { nameId });
    expect((await visit(server(), newBrowser(server()), byRedirect(slug, 'SAMLRequest', request))).status).toBe(302);
    expect(await isSignedIn(first.browser)).toBe(false);
    const later = await signIn(slug, { nameId });
    const form = { SAMLRequest: encodePost(signXml(request, key)) };
    const replayed = [
      await visit(server(), newBrowser(server()), byRedirect(slug, 'SAMLRequest', request)),
      await visit(server(), newBrowser(server()), `/source/saml/${slug}/slo/`, { form }),
    ];
    expect(replayed.map(({ status }) => status)).toEqual([400, 400]);
    expect(await isSignedIn(later.browser)).toBe(true);
  });

  test('an identity provider on the same site ends the session of the browser that carries its form', async () => {
    const { slug } = await source();
    const nameId = unique('neighbour');
    const { browser } = await signIn(slug, { nameId, sessionIndex: 'session-1' });
    const form = { SAMLRequest: encodePost(signXml(requestFor(slug, nameId), key)) };
    const headers = { origin: 'https://idp.example', 'sec-fetch-site': 'same-site' };
    const page = await visit(server(), browser, `/source/saml/${slug}/slo/`, { form, headers });
    expect([page.status, formOn(page).action]).toEqual([200, slo_url]);
    expect(await isSignedIn(browser)).toBe(false);
  });

  const unfit: Readonly<Record<string, (slug: string, nameId: string) => string>> = {
    'is unsigned': (slug, nameId) => byRedirect(slug, 'SAMLRequest', requestFor(slug, nameId), null),
    'is signed by another key': (slug, nameId) => byRedirect(slug, 'SAMLRequest', requestFor(slug, nameId), other),
    'is from another issuer': (slug, nameId) =>
      byRedirect(slug, 'SAMLRequest', requestFor(slug, nameId, { issuer: 'https://else.example' })),
    'is for another receiver': (slug, nameId) =>
      byRedirect(slug, 'SAMLRequest', requestFor(slug, nameId, { destination: 'https://else.example' })),
    'is old': (slug, nameId) =>
      byRedirect(slug, 'SAMLRequest', requestFor(slug, nameId, { now: new Date(Date.now() - 3_600_000) })),
    'comes twice in two spellings': (slug, nameId) =>
      `${byRedirect(slug, 'SAMLRequest', requestFor(slug, nameId))}&%53AMLRequest=x`,
    'is no XML': (slug) => byRedirect(slug, 'SAMLRequest', { markup: 'x' }),
  };
  for (const [name, make] of Object.entries(unfit)) {
    test(`a request that ${name} ends nothing`, async () => {
      const { slug } = await source();
      const nameId = unique('stays');
      const { browser } = await signIn(slug, { nameId });
      expect((await visit(server(), newBrowser(server()), make(slug, nameId))).status).toBe(400);
      expect(await isSignedIn(browser)).toBe(true);
    });
  }

  test('a plain visit signs no user out, it asks', async () => {
    const { slug } = await source();
    const { browser } = await signIn(slug);
    const page = await visit(server(), browser, `/source/saml/${slug}/slo/`);
    expect([page.status, page.location]).toEqual([302, '/if/flow/default-invalidation-flow/']);
    expect((await throughFlow(browser, page)).component).toBe('xak-flow-confirm');
    expect(await isSignedIn(browser)).toBe(true);
    const open = await source({ slo_url: null });
    expect((await visit(server(), browser, `/source/saml/${open.slug}/slo/`)).status).toBe(302);
  });
});
