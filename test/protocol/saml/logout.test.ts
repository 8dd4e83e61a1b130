import { createPrivateKey } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { csrfHeader } from '../../../src/core/session/session-cookies.ts';
import { generateCertificate } from '../../../src/lib/certificate/generate-certificate.ts';
import { statusCodes } from '../../../src/lib/saml/names.ts';
import { readRedirect } from '../../../src/lib/saml/redirect-binding.ts';
import { readStatus } from '../../../src/lib/saml/status.ts';
import { attributeOf } from '../../../src/lib/xml/element.ts';
import { readXml } from '../../../src/lib/xml/read-xml.ts';
import { signXml } from '../../../src/lib/xml/sign.ts';
import { lastEvents } from '../../support/events.ts';
import { quiet, until } from '../../support/jobs.ts';
import { makeWalk } from '../../support/make-walk.ts';
import { asForm, isAlive, stranger, type Visitor, visitor } from '../../support/relying-party.ts';
import {
  deflated,
  elementOf,
  encoded,
  logoutRequest,
  logoutResponse,
  makeServiceProvider,
  responseOn,
  type ServiceProvider,
  type SpPair,
  signingCertificateOf,
  storePair,
  textIn,
} from '../../support/saml-sp.ts';
import { describeOnBoth } from '../../support/server.ts';
import { type SimpleSp, startSimpleSp } from '../../support/simple-sp.ts';
import { findOpenssl, findXmlsec, opensslVerifyQuery, xmlsecVerify } from '../../support/xmlsec.ts';

const [hasXmlsec, hasOpenssl] = [await findXmlsec(), await findOpenssl()];
const sls_url = 'https://sp.example/slo';
let pair: SpPair;
beforeAll(async () => {
  const request = { commonName: 'sp', subjectAltNames: [], validityDays: 1, algorithm: 'rsa', rsaBits: 2048 } as const;
  pair = await generateCertificate(request);
});

const signed = (markup: string) =>
  signXml(
    { markup },
    {
      privateKey: createPrivateKey(pair.key),
      certificate: pair.certificate,
      signatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
      digestAlgorithm: 'http://www.w3.org/2001/04/xmlenc#sha256',
    },
  ).markup;

/** The message in an address that a browser is sent to. */
const messageIn = (location: URL | null) => {
  const { text, name, relayState } = readRedirect(location?.search.slice(1) ?? '');
  return {
    name,
    relayState,
    root: readXml(text, { maxLength: 100_000 }),
    to: `${location?.origin}${location?.pathname}`,
  };
};

describeOnBoth(
  'SAML single logout',
  (server) => {
    const received: { type: string; text: string }[] = [];
    const receiver = createServer(async (request, response) => {
      let text = '';
      for await (const chunk of request) text += chunk;
      received.push({ type: request.headers['content-type'] ?? '', text });
      response.writeHead(200).end();
    });
    let receiverUrl = '';
    beforeAll(async () => {
      if (!receiver.listening) await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
      receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/slo`;
    });
    afterAll(() => void receiver.close());

    const isSignedIn = ({ session }: Visitor) => isAlive(server(), session);

    const signOutEverywhere = (browser: Visitor, values: Record<string, unknown>) =>
      browser.visit('/api/v3/core/authenticated_sessions/sign_out_everywhere/', {
        method: 'POST',
        headers: { [csrfHeader]: browser.jar.get('gatehouse_csrf') ?? '', 'content-type': 'application/json' },
        body: JSON.stringify(values),
      });

    const certificateOf = ({ provider }: ServiceProvider) => signingCertificateOf(server(), provider);

    /** By xmlsec1, where there is one. */
    async function checkSignature(document: string, sp: ServiceProvider, element: string) {
      expect(document).toContain('<ds:Signature');
      if (!hasXmlsec) return;
      await xmlsecVerify(document, await certificateOf(sp), `urn:oasis:names:tc:SAML:2.0:protocol:${element}`);
    }

    /** By openssl, where there is one. */
    async function checkQuery(location: URL | null, sp: ServiceProvider) {
      const query = location?.search.slice(1) ?? '';
      expect(query).toContain('&Signature=');
      if (!hasOpenssl) return;
      const certificate = await certificateOf(sp);
      await opensslVerifyQuery(query, certificate);
      await expect(opensslVerifyQuery(query.replace('SigAlg', 'sigAlg'), certificate)).rejects.toThrow();
    }

    /** Signs a user in to service providers; what each knows them by. */
    async function signedInTo(browser: Visitor, ...sps: ServiceProvider[]) {
      const known: { nameId: string; index: string }[] = [];
      for (const sp of sps) {
        const { root } = responseOn(await browser.visit(sp.at('init/')));
        const statement = elementOf(root, 'AuthnStatement');
        known.push({
          nameId: textIn(root, 'NameID') ?? '',
          index: (statement && attributeOf(statement, 'SessionIndex')) ?? '',
        });
      }
      return known;
    }
    const slo = (message: string, more = {}) =>
      `slo/binding/redirect/?${new URLSearchParams({ SAMLRequest: deflated(message), ...more })}`;

    test('a service provider that names the session ends it and is answered, by redirect and by POST', async () => {
      for (const [binding, values] of [
        ['redirect', {}],
        ['post', { sls_binding: 'post' }],
      ] as const) {
        const sp = await makeServiceProvider(server(), { sls_url, ...values });
        const browser = await visitor(server());
        const [known] = await signedInTo(browser, sp);
        const message = logoutRequest(known?.nameId ?? '', known?.index ?? '');
        if (binding === 'redirect') {
          const { location } = await browser.visit(sp.at(slo(message, { RelayState: 'r' })));
          const { name, relayState, root, to } = messageIn(location);
          expect([name, relayState, to, attributeOf(root, 'InResponseTo')]).toEqual([
            'SAMLResponse',
            'r',
            sls_url,
            '_logout',
          ]);
          await checkQuery(location, sp);
        } else {
          const sent = await stranger(server()).visit(
            sp.at('slo/binding/post/'),
            asForm({ SAMLRequest: encoded(message) }),
          );
          expect(sent.status).toBe(303);
          const { status, to, text } = responseOn(await browser.visit(sent.location ?? ''));
          expect([status.code, to]).toEqual([statusCodes.success, sls_url]);
          await checkSignature(text, sp, 'LogoutResponse');
        }
        expect(await isSignedIn(browser)).toBe(false);
      }
    });

    test('a request that does not know the session ends nothing', async () => {
      const sp = await makeServiceProvider(server(), { sls_url });
      const browser = await visitor(server());
      const [known] = await signedInTo(browser, sp);
      const { nameId = '', index = '' } = known ?? {};
      for (const message of [
        logoutRequest(nameId, 'guessed'),
        logoutRequest('other', index),
        logoutRequest(nameId, null),
      ]) {
        const { root } = messageIn((await browser.visit(sp.at(slo(message)))).location);
        const code = elementOf(root, 'StatusCode');
        expect(code && attributeOf(code, 'Value')).toBe(statusCodes.requester);
      }
      expect(await isSignedIn(browser)).toBe(true);
    });

    test('with a certificate, requests must be signed; then the name is enough', async () => {
      const verification_kp = await storePair(server(), { certificate: pair.certificate });
      const sp = await makeServiceProvider(server(), { sls_url, verification_kp });
      const browser = await visitor(server());
      const [known] = await signedInTo(browser, sp);
      const { nameId = '', index = '' } = known ?? {};
      expect((await browser.visit(sp.at(slo(logoutRequest(nameId, index))))).status).toBe(400);
      const form = asForm({ SAMLRequest: encoded(signed(logoutRequest(nameId, null))) });
      const { location } = await browser.visit(sp.at('slo/binding/post/'), form);
      await browser.visit(location ?? '');
      expect(await isSignedIn(browser)).toBe(false);
    });

    test('who is not signed in is not asked to sign in; without an address for answers they see a page', async () => {
      const sp = await makeServiceProvider(server());
      const { status, text } = await stranger(server()).visit(sp.at(slo(logoutRequest('x', 'y'))));
      expect([status, text.includes('You are signed out')]).toEqual([200, true]);
    });

    test('the other service providers are visited one after the other, and no RelayState is followed', async () => {
      const others = [`${sls_url}/one`, `${sls_url}/two`];
      const sps = [await makeServiceProvider(server(), { sls_url })];
      for (const url of others) sps.push(await makeServiceProvider(server(), { sls_url: url }));
      const browser = await visitor(server());
      const known = await signedInTo(browser, ...sps);
      const [asking] = sps;
      let { location } = await browser.visit(
        asking?.at(slo(logoutRequest(known[0]?.nameId ?? '', known[0]?.index ?? ''))) ?? '',
      );
      location = (await browser.visit(location ?? '')).location;
      expect(await isSignedIn(browser)).toBe(false);
      for (const [index, url] of others.entries()) {
        const { name, root, to } = messageIn(location);
        expect([name, to, textIn(root, 'SessionIndex')]).toEqual(['SAMLRequest', url, known[index + 1]?.index]);
        await checkQuery(location, sps[index + 1] as ServiceProvider);
        const query = new URLSearchParams({
          SAMLResponse: deflated(logoutResponse(attributeOf(root, 'ID') ?? '')),
          RelayState: 'https://evil.example/',
        });
        const back = sps[index + 1]?.at(`slo/binding/redirect/?${query}`) ?? '';
        location = (await stranger(server()).visit(back)).location;
        // It is taken once.
        expect((await stranger(server()).visit(back)).location?.pathname).toBe('/');
      }
      expect(location?.pathname).toBe(asking?.at(''));
      const { name, to } = messageIn((await browser.visit(location ?? '')).location);
      expect([name, to]).toEqual(['SAMLResponse', sls_url]);
    });

    /** What the service provider that asked is told in the end, when the other one answers with `code`. */
    async function answeredAfter(other: ServiceProvider, code: string | null) {
      const asking = await makeServiceProvider(server(), { sls_url });
      const browser = await visitor(server());
      const [known] = await signedInTo(browser, asking, other);
      const request = logoutRequest(known?.nameId ?? '', known?.index ?? '');
      const untilSent = async (address: string) => {
        let { location } = await browser.visit(address);
        while (location?.href.startsWith(server().url)) location = (await browser.visit(location)).location;
        return location;
      };
      let location = await untilSent(asking.at(slo(request)));
      if (code !== null) {
        const answer = logoutResponse(attributeOf(messageIn(location).root, 'ID') ?? '', code);
        const query = new URLSearchParams({ SAMLResponse: deflated(answer) });
        location = await untilSent(other.at(`slo/binding/redirect/?${query}`));
      }
      return readStatus(messageIn(location).root);
    }

    test('the flow of the provider runs in place of that of the brand before the service provider is answered', async () => {
      const walk = await makeWalk(server(), [['consent', { mode: 'always_require' }]], { designation: 'invalidation' });
      const sp = await makeServiceProvider(server(), { sls_url, invalidation_flow: walk.pk });
      const browser = await visitor(server());
      const [known] = await signedInTo(browser, sp);
      const message = logoutRequest(known?.nameId ?? '', known?.index ?? '');
      const { location } = await browser.visit(sp.at(slo(message)));
      expect(location?.pathname).toBe(`/if/flow/${walk.slug}/`);
      const query = location?.search.slice(1);
      const { token } = await browser.answerStep(walk.slug, undefined, query);
      const { to } = await browser.answerStep(walk.slug, { token }, query);
      const { name, to: answered } = messageIn((await browser.visit(to)).location);
      expect([name, answered, await isSignedIn(browser)]).toEqual(['SAMLResponse', sls_url, false]);
    });

    test('who asks is told PartialLogout when another does not succeed, and nothing of it when all do', async () => {
      const other = await makeServiceProvider(server(), { sls_url: `${sls_url}/other` });
      const success = await answeredAfter(other, statusCodes.success);
      expect([success.code, success.detail]).toEqual([statusCodes.success, null]);
      const failed = await answeredAfter(other, statusCodes.responder);
      expect([failed.code, failed.detail]).toEqual([statusCodes.success, statusCodes.partialLogout]);
    });

    test('who comes back from a service provider that did not answer is told which, and goes on', async () => {
      const sps = [await makeServiceProvider(server(), { sls_url })];
      for (const name of ['silent', 'other']) {
        sps.push(await makeServiceProvider(server(), { sls_url: `${sls_url}/${name}` }));
      }
      const [asking, silent] = sps;
      const browser = await visitor(server());
      const [known] = await signedInTo(browser, ...sps);
      const asked = await browser.visit(asking?.at(slo(logoutRequest(known?.nameId ?? '', known?.index ?? ''))) ?? '');
      const tour = asked.location ?? '';
      expect(messageIn((await browser.visit(tour)).location).to).toBe(`${sls_url}/silent`);
      expect(await isSignedIn(browser)).toBe(false);

      const { status, text } = await browser.visit(tour);
      expect([status, text.includes(`${silent?.application.name} did not confirm`)]).toEqual([200, true]);
      const onward = /href="([^"]+)"[^>]*>Continue/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
      const next = messageIn((await browser.visit(onward)).location);
      expect(next.to).toBe(`${sls_url}/other`);
      // The link leads past one application, not past those that follow.
      expect((await browser.visit(onward)).text).toContain('did not confirm');

      const answer = new URLSearchParams({
        SAMLResponse: deflated(logoutResponse(attributeOf(next.root, 'ID') ?? '')),
      });
      const back = await browser.visit(sps[2]?.at(`slo/binding/redirect/?${answer}`) ?? '');
      const { root } = messageIn((await browser.visit(back.location ?? '')).location);
      expect(readStatus(root)).toMatchObject({ code: statusCodes.success, detail: statusCodes.partialLogout });
    });

    /** Has the jobs that wait for lost browsers run now. */
    const loseBrowsers = () =>
      server().world.db.write(async (tx) => {
        await sql`update jobs set run_at = created where kind = 'saml_finish_logout' and state = 'queued'`.execute(tx);
        await server().app.jobs.enqueue(tx, { kind: 'saml_find_ended_sessions' });
      });
    /** What events say of these, the oldest first. Tours of other tests may be lost meanwhile. */
    const untold = async (...sps: ServiceProvider[]) => {
      const begins = sps.map(
        ({ application }) => `${application.name} could not be notified that a session has ended: `,
      );
      return (await lastEvents(server(), 50)).toReversed().flatMap(({ context: { message, name_id } }) => {
        const [start] = begins.filter((text) => String(message).startsWith(text));
        return start === undefined ? [] : [{ reason: String(message).slice(start.length), name_id }];
      });
    };

    test('when one does not send the browser back, the server tells those after it, and records whom it could not tell', async () => {
      const asking = await makeServiceProvider(server(), { sls_url });
      const silent = await startSimpleSp(server(), 'is silent');
      const rest: SimpleSp[] = [
        await startSimpleSp(server(), 'redirects'),
        await startSimpleSp(server(), 'posts', { sls_binding: 'post' }),
        await startSimpleSp(server(), 'wants its cookie'),
      ];
      const browser = await visitor(server());
      const known = await signedInTo(browser, asking, silent, ...rest);
      for (const [index, sp] of rest.entries()) sp.sessions.add(known[index + 2]?.index ?? '');
      const request = logoutRequest(known[0]?.nameId ?? '', known[0]?.index ?? '');
      const tour = (await browser.visit(asking.at(slo(request)))).location ?? '';
      const asked = messageIn((await browser.visit(tour)).location);
      await loseBrowsers();
      await until(async () => (await untold(silent, ...rest)).length === 2);
      await expect.poll(() => rest.map(({ sessions }) => sessions.size)).toEqual([0, 0, 1]);
      expect(await untold(silent)).toEqual([{ reason: 'it did not send the browser back', name_id: known[1]?.nameId }]);
      expect(await untold(rest[2] as SimpleSp)).toMatchObject([
        { reason: 'it did not confirm a request that came without the browser' },
      ]);

      // It comes back after all: no service provider is left to visit, and who asked learns that not all went well.
      const answer = new URLSearchParams({
        SAMLResponse: deflated(logoutResponse(attributeOf(asked.root, 'ID') ?? '')),
      });
      const back = await browser.visit(silent.at(`slo/binding/redirect/?${answer}`));
      const { to, root } = messageIn((await browser.visit(back.location ?? '')).location);
      expect([to, readStatus(root).detail]).toEqual([sls_url, statusCodes.partialLogout]);
      for (const sp of [silent, ...rest]) await sp.close();
    });

    test('when the browser is closed before its tour begins, the server tells all; one that goes on is left alone', async () => {
      const sps = [await startSimpleSp(server(), 'redirects'), await startSimpleSp(server(), 'redirects')];
      const signOut = async () => {
        const browser = await visitor(server());
        const known = await signedInTo(browser, ...sps);
        for (const [index, sp] of sps.entries()) sp.sessions.add(known[index]?.index ?? '');
        const { to } = await browser.answerStep('default-invalidation-flow', {});
        return { browser, to };
      };
      await signOut();
      await loseBrowsers();
      await until(() => sps.every(({ sessions }) => sessions.size === 0));

      const { browser, to } = await signOut();
      const first = messageIn((await browser.visit(to)).location);
      // The job that was queued when the tour began finds that the browser has gone on since.
      await server().world.db.write(async (tx) => {
        await sql`update jobs set run_at = created where pk = (select pk from jobs
          where kind = 'saml_finish_logout' and state = 'queued' order by created limit 1)`.execute(tx);
        await server().app.jobs.enqueue(tx, { kind: 'saml_find_ended_sessions' });
      });
      await quiet(server());
      expect(sps.map(({ sessions }) => sessions.size)).toEqual([1, 1]);
      const answer = new URLSearchParams({
        SAMLResponse: deflated(logoutResponse(attributeOf(first.root, 'ID') ?? '')),
      });
      const { location } = await browser.visit(sps[0]?.at(`slo/binding/redirect/?${answer}`) ?? '');
      expect(messageIn(location).to).toBe(sps[1]?.provider.sls_url);
      for (const sp of sps) await sp.close();
    });

    test('one that answers behind the scenes by a redirect has been told; one that cannot be reached is recorded', async () => {
      const values = { logout_method: 'backchannel', sls_binding: 'post' };
      const sp = await startSimpleSp(server(), 'redirects', values);
      const blocked = await makeServiceProvider(server(), { ...values, sls_url: 'http://10.0.0.1/slo' });
      const browser = await visitor(server());
      const [known] = await signedInTo(browser, sp, blocked);
      sp.sessions.add(known?.index ?? '');
      await server().admin.delete(`/core/authenticated_sessions/${browser.session}/`);
      await until(async () => (await untold(blocked)).length === 1);
      let state = '';
      await until(async () => {
        const { rows } = await sql<{ state: string }>`select state from jobs where kind = 'saml_tell_logout'
          and cast(payload as text) like ${`%${known?.index}%`}`.execute(server().world.db.read);
        state = rows[0]?.state ?? '';
        return state === 'done' || state === 'failed';
      });
      expect([state, sp.sessions.size]).toEqual(['done', 0]);
      await sp.close();
    });

    test('without a flow for signing out, the others are visited all the same', async () => {
      const { admin } = server();
      const { body } = await admin.get('/core/brands/?default=true');
      const [{ brand_uuid, flow_invalidation }] = body.results;
      await admin.patch(`/core/brands/${brand_uuid}/`, { flow_invalidation: null });
      const other = await makeServiceProvider(server(), { sls_url: `${sls_url}/other` });
      const { code, detail } = await answeredAfter(other, statusCodes.success);
      await admin.patch(`/core/brands/${brand_uuid}/`, { flow_invalidation });
      expect([code, detail]).toEqual([statusCodes.success, null]);
    });

    test('who asks is told PartialLogout when another has no address to be told at', async () => {
      const { code, detail } = await answeredAfter(await makeServiceProvider(server()), null);
      expect([code, detail]).toEqual([statusCodes.success, statusCodes.partialLogout]);
    });

    test('who signs out here visits the service providers', async () => {
      const sp = await makeServiceProvider(server(), { sls_url, sls_binding: 'post' });
      const browser = await visitor(server());
      const [known] = await signedInTo(browser, sp);
      const step = await browser.answerStep('default-invalidation-flow', {});
      expect(step.to).toMatch(/^\/application\/saml-logout\/\?after=/);
      const { text } = await browser.visit(step.to);
      expect(text).toContain(`action="${sls_url}"`);
      const request = Buffer.from(/name="SAMLRequest" value="([^"]+)"/.exec(text)?.[1] ?? '', 'base64').toString();
      expect(request).toContain(known?.index);
      await checkSignature(request, sp, 'LogoutRequest');
      expect((await browser.visit('/application/saml-logout/?after=forged')).location?.pathname).toBe('/');
    });

    test('however a session ends, service providers are told behind the scenes, by POST and by SOAP', async () => {
      const endings: ((browser: Visitor) => Promise<unknown>)[] = [
        ({ session }) => server().admin.delete(`/core/authenticated_sessions/${session}/`),
        ({ person }) => server().admin.patch(`/core/users/${person.pk}/`, { is_active: false }),
        (browser) => signOutEverywhere(browser, {}),
        async ({ session }) => {
          const { db, clock } = server().world;
          await db.write((tx) =>
            sql`update authenticated_sessions set expires = ${clock.now()} where pk = ${session}`.execute(tx),
          );
          // No event tells that a session has expired; the job finds out when it runs by itself.
          await db.write((tx) => server().app.jobs.enqueue(tx, { kind: 'saml_find_ended_sessions' }));
        },
      ];
      for (const sls_binding of ['post', 'soap']) {
        for (const end of endings) {
          const sp = await makeServiceProvider(server(), {
            sls_url: receiverUrl,
            sls_binding,
            logout_method: 'backchannel',
          });
          const browser = await visitor(server());
          const [known] = await signedInTo(browser, sp);
          const before = received.length;
          await end(browser);
          await until(() => received.length > before);
          const { type, text } = received.at(-1) ?? { type: '', text: '' };
          expect(type.startsWith(sls_binding === 'soap' ? 'text/xml' : 'application/x-www-form-urlencoded')).toBe(true);
          const message =
            sls_binding === 'soap'
              ? text
              : Buffer.from(new URLSearchParams(text).get('SAMLRequest') ?? '', 'base64').toString();
          expect(message).toContain(`<samlp:SessionIndex>${known?.index}</samlp:SessionIndex>`);
          const inside = /<samlp:LogoutRequest.*<\/samlp:LogoutRequest>/s.exec(message)?.[0] ?? '';
          await checkSignature(inside, sp, 'LogoutRequest');
        }
      }
    });

    test('who signs out everywhere but here stays signed in to service providers by this browser', async () => {
      const values = { sls_url: receiverUrl, sls_binding: 'post', logout_method: 'backchannel' };
      const sp = await makeServiceProvider(server(), values);
      const here = await visitor(server());
      const elsewhere = await visitor(server(), here.person);
      const [kept] = await signedInTo(here, sp);
      const [ended] = await signedInTo(elsewhere, sp);
      received.length = 0;
      await signOutEverywhere(here, { keep_current: true });
      await until(() => received.length > 0);
      await quiet(server());
      const messages = received.map(({ text }) =>
        Buffer.from(new URLSearchParams(text).get('SAMLRequest') ?? '', 'base64').toString(),
      );
      expect(messages).toEqual([expect.stringContaining(ended?.index ?? '-')]);
      expect(messages[0]).not.toContain(kept?.index);
      expect([await isSignedIn(here), await isSignedIn(elsewhere)]).toEqual([true, false]);
    });

    test('a service provider can ask this server directly, when it has signed', async () => {
      const verification_kp = await storePair(server(), { certificate: pair.certificate });
      const sp = await makeServiceProvider(server(), { verification_kp });
      const browser = await visitor(server());
      const [known] = await signedInTo(browser, sp);
      const ask = (message: string) =>
        stranger(server()).visit(sp.at('slo/binding/soap/'), {
          method: 'POST',
          headers: { 'content-type': 'text/xml' },
          body: `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>${message}</s:Body></s:Envelope>`,
        });
      const message = logoutRequest(known?.nameId ?? '', known?.index ?? '');
      expect((await ask(message)).status).toBe(400);
      expect(await isSignedIn(browser)).toBe(true);
      const { status, text } = await ask(signed(message));
      expect([status, text.includes(statusCodes.success)]).toEqual([200, true]);
      const inside = /<samlp:LogoutResponse.*<\/samlp:LogoutResponse>/s.exec(text)?.[0] ?? '';
      await checkSignature(inside, sp, 'LogoutResponse');
      expect(await isSignedIn(browser)).toBe(false);
    });
  },
  { env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.0/8' } },
);
