import { X509Certificate } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { decodePost } from '../../../src/lib/saml/post-binding.ts';
import { readRedirect } from '../../../src/lib/saml/redirect-binding.ts';
import { attributeOf, childrenNamed, textOf } from '../../../src/lib/xml/element.ts';
import { encryptXml } from '../../../src/lib/xml/encrypt.ts';
import { signXml } from '../../../src/lib/xml/sign.ts';
import { verifySigned } from '../../../src/lib/xml/verify.ts';
import { xml } from '../../../src/lib/xml/write-xml.ts';
import { eventsDuring } from '../../support/events.ts';
import { bindExpression, made, makeWalk, unique } from '../../support/make-walk.ts';
import { assertionMarkup, type IdpKey, idpKey, responseMarkup, signedResponse } from '../../support/saml-idp.ts';
import { describeOnSqlite } from '../../support/server.ts';
import { signedInBrowser } from '../../support/signed-in-browser.ts';
import { formOn, leadsTo, newBrowser, saidOn, throughFlow, visit } from '../oauth-source/visitor.ts';
import { idpUrl, parse, samlWalk } from './saml-walk.ts';

let key: IdpKey;
let ours: IdpKey;
beforeAll(async () => {
  [key, ours] = await Promise.all([idpKey(), idpKey()]);
});
const protocol = 'urn:oasis:names:tc:SAML:2.0:protocol';
const assertionNames = 'urn:oasis:names:tc:SAML:2.0:assertion';

describeOnSqlite('signing in by a SAML source', (server) => {
  const walk = samlWalk(server, () => key);
  const { source, depart, leave, about, post, bring, arrive, signIn, connectionsOf, address, pair } = walk;

  test('a user enrols, and signs in again later', async () => {
    const { slug, name } = await source();
    const nameId = unique('dana');
    const attributes = { email: [`${nameId}@example.com`], displayName: ['Dana Vo'] };
    const events = await eventsDuring(server(), async () => {
      const { page, user } = await signIn(slug, { nameId, attributes });
      expect([page.status, leadsTo(page)]).toEqual([302, '/if/flow/default-source-enrollment/']);
      expect(user).toMatchObject({ username: nameId, name: 'Dana Vo', email: `${nameId}@example.com` });
    });
    expect(events.map(({ action }) => action)).toEqual(expect.arrayContaining(['source_linked', 'login']));
    expect(events.find(({ action }) => action === 'login')?.context).toMatchObject({
      auth_method: 'source',
      auth_method_args: { source: { slug, name } },
    });
    const again = await signIn(slug, { nameId });
    expect(leadsTo(again.page)).toBe('/if/flow/default-source-authentication/');
    expect(again.user.username).toBe(nameId);
    expect(await connectionsOf(slug)).toMatchObject([{ identifier: nameId, user: again.user.pk }]);
  });

  test('requests go by redirect, to be answered by POST, and keep the query of the address', async () => {
    const plain = await depart((await source({ issuer: '' })).slug, newBrowser(server()));
    expect(childrenNamed(plain, assertionNames, 'Issuer').map(textOf)).toEqual([
      expect.stringMatching(/\/metadata\/$/),
    ]);
    const { slug } = await source({ sso_url: `${idpUrl}?tenant=7`, issuer: 'urn:we' });
    const page = await leave(slug, newBrowser(server()));
    expect(page.location).toMatch(/^https:\/\/idp\.example\/sso\?tenant=7&SAMLRequest=/);
    const request = parse(readRedirect(page.location.split('?')[1] ?? '').text);
    expect(Object.fromEntries(request.attributes.map(({ name, value }) => [name, value]))).toMatchObject({
      Version: '2.0',
      Destination: `${idpUrl}?tenant=7`,
      AssertionConsumerServiceURL: address(slug, 'acs/'),
      ProtocolBinding: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST',
    });
    expect(childrenNamed(request, assertionNames, 'Issuer').map(textOf)).toEqual(['urn:we']);
    const [policy] = childrenNamed(request, protocol, 'NameIDPolicy');
    expect(policy && attributeOf(policy, 'Format')).toBe('urn:oasis:names:tc:SAML:2.0:nameid-format:persistent');
  });

  test('requests are signed: the address by redirect, the message by form', async () => {
    const keys = [new X509Certificate(ours.certificate).publicKey];
    const signing_kp = await pair(ours);
    const redirected = await leave((await source({ signing_kp })).slug, newBrowser(server()));
    const read = readRedirect(redirected.location.split('?')[1] ?? '');
    expect(read.isSignedBy(keys)).toBe(true);
    expect(read.text).not.toContain('Signature');
    const page = await leave((await source({ signing_kp, binding_type: 'POST_AUTO' })).slug, newBrowser(server()));
    const { action, members } = formOn(page);
    expect(action).toBe(idpUrl);
    expect(verifySigned(parse(decodePost(members.SAMLRequest ?? '')), keys).local).toBe('AuthnRequest');
  });

  test('by POST, people are asked before they are sent on', async () => {
    const { slug, name } = await source({ binding_type: 'POST' });
    const browser = newBrowser(server());
    const asked = await leave(slug, browser);
    expect(saidOn(asked)).toContain(`Continue to ${name}`);
    expect(asked.text).not.toContain('SAMLRequest');
    const inResponseTo = attributeOf(await depart(slug, browser, '?go=1'), 'ID');
    const page = await bring(slug, browser, signedResponse(about(slug, { inResponseTo }), key));
    expect(leadsTo(page)).toBe('/if/flow/default-source-enrollment/');
  });

  test('people come back to where they wanted to go, if that is here', async () => {
    const { slug } = await source();
    const nameId = unique('there');
    expect(leadsTo(await arrive(slug, { nameId }, undefined, '?next=/if/user/security/'))).toBe(
      '/if/flow/default-source-enrollment/?next=%2Fif%2Fuser%2Fsecurity%2F',
    );
    const page = await arrive(slug, { nameId }, undefined, '?next=https://evil.example/');
    expect(leadsTo(page)).toBe('/if/flow/default-source-enrollment/');
  });

  test('encrypted assertions are decrypted, and required where configured', async () => {
    const { slug } = await source({ encryption_kp: await pair(ours) });
    const browser = newBrowser(server());
    const inResponseTo = attributeOf(await depart(slug, browser), 'ID');
    const told = about(slug, { inResponseTo });
    const inside = await encryptXml(signXml(assertionMarkup(told), key), ours.certificate);
    const encrypted = xml('saml:EncryptedAssertion', { 'xmlns:saml': assertionNames }, inside);
    const plain = await post(slug, signedResponse(told, key));
    expect([plain.status, saidOn(plain)]).toEqual([400, expect.stringContaining('must be encrypted')]);
    const page = await bring(slug, browser, responseMarkup(told, encrypted).markup);
    expect(leadsTo(page)).toBe('/if/flow/default-source-enrollment/');
  });

  test('groups and properties come by attributes and mappings', async () => {
    const expression = `return { name: info.attributes.title[0] + ' ' + info.name_id.value, groups: [...properties.groups, 'more'],
      attributes: { format: info.name_id.format } };`;
    const mapping = await made(server(), '/propertymappings/source/saml/', { name: unique('m'), expression });
    const { slug } = await source({ user_property_mappings: [mapping.pk] });
    const groups = [unique('group'), unique('group')];
    const attributes = { 'http://schemas.xmlsoap.org/claims/Group': groups, title: ['Dr'], isSuperuser: ['true'] };
    const { user } = await signIn(slug, { nameId: 'who', attributes });
    const { body } = await server().admin.get(`/core/users/${user.pk}/`);
    expect(body).toMatchObject({ name: 'Dr who', is_superuser: false });
    expect(body.groups_obj.map(({ name }: { name: string }) => name).sort()).toEqual([...groups, 'more'].sort());
    expect(body.attributes.format).toContain('persistent');
  });

  test('a mapping that fails is told by a page, and no user is made', async () => {
    const mapping = await made(server(), '/propertymappings/source/saml/', {
      name: unique('m'),
      expression: 'throw 1',
    });
    const { slug } = await source({ user_property_mappings: [mapping.pk] });
    const nameId = unique('failed');
    const page = await arrive(slug, { nameId });
    expect([page.status, saidOn(page)]).toEqual([400, expect.stringContaining('could not be evaluated')]);
    expect((await server().admin.get(`/core/users/?username=${nameId}`)).body.results).toEqual([]);
  });

  test('an address links only when it is the name of the account, or said to be verified', async () => {
    const { slug } = await source({ user_matching_mode: 'email_link' });
    const email = `${unique('person')}@example.com`;
    const person = await server().user([], { email });
    const unproven = await arrive(slug, { attributes: { email: [email] } });
    expect(unproven.status).toBe(403);
    const format = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';
    expect((await signIn(slug, { nameId: email, format })).user.pk).toBe(person.pk);
    const other = await server().user([], { email: `${unique('person')}@example.com` });
    const { email: theirs } = (await server().admin.get(`/core/users/${other.pk}/`)).body;
    const attributes = { email: [theirs], email_verified: ['true'] };
    expect((await signIn(slug, { attributes })).user.pk).toBe(other.pk);
  });

  test('superusers are adopted neither by their name nor by a proven address', async () => {
    const { body } = await server().admin.get('/core/users/me/');
    const { username } = body.user;
    const email = `${unique('root')}@example.com`;
    await server().admin.patch(`/core/users/${body.user.pk}/`, { email });
    const byName = await source({ user_matching_mode: 'username_link' });
    expect((await arrive(byName.slug, { nameId: username })).status).toBe(403);
    const byAddress = await source({ user_matching_mode: 'email_link' });
    const format = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';
    expect((await arrive(byAddress.slug, { nameId: email, format })).status).toBe(403);
    for (const { slug } of [byName, byAddress]) expect(await connectionsOf(slug)).toEqual([]);
  });

  test('inactive people, policies and missing flows keep people out', async () => {
    const { slug, pk } = await source();
    const nameId = unique('inactive');
    const { user } = await signIn(slug, { nameId });
    await server().admin.patch(`/core/users/${user.pk}/`, { is_active: false });
    expect((await arrive(slug, { nameId })).status).toBe(403);
    await server().admin.patch(`/sources/saml/${slug}/`, { enrollment_flow: null });
    expect(saidOn(await arrive(slug))).toContain('Source is not configured for enrollment.');
    await bindExpression(server(), pk, 'return false');
    expect((await leave(slug, newBrowser(server()))).status).toBe(403);
    const unsolicited = signedResponse(about(slug, { nameId }), key);
    await server().admin.patch(`/sources/saml/${slug}/`, { allow_idp_initiated: true });
    expect((await bring(slug, newBrowser(server()), unsolicited)).status).toBe(403);
  });

  test('a signed-in user links an account, once, and no user takes it over', async () => {
    const { slug, name } = await source();
    const nameId = unique('linked');
    const user = await server().user();
    const browser = await signedInBrowser(server(), user.pk);
    expect((await arrive(slug, { nameId }, browser, '?link')).location).toBe('/if/user/connections/');
    expect(await connectionsOf(slug)).toMatchObject([{ identifier: nameId, user: user.pk }]);
    expect(saidOn(await arrive(slug, { nameId }, browser, '?link'))).toContain('was already connected');
    const other = await signedInBrowser(server(), (await server().user()).pk);
    const page = await arrive(slug, { nameId }, other, '?link');
    expect([page.status, saidOn(page)]).toEqual([400, expect.stringContaining(`${name} is linked to another user`)]);
    const asked = await visit(server(), browser, `/source/saml/${slug}/?link`, {
      headers: { 'sec-fetch-site': 'same-origin' },
    });
    expect(saidOn(asked)).toContain(`Connect ${name}?`);
  });

  test('a source stage sends people there and goes on when they are back', async () => {
    const { slug, pk } = await source();
    const nameId = unique('staged');
    const user = await server().user();
    await made(server(), '/sources/user_connections/saml/', { user: user.pk, source: pk, identifier: nameId });
    const flow = await makeWalk(server(), [['source', { source: pk }], ['user_login']]);
    const browser = newBrowser(server());
    const { to } = (await browser.show(flow.slug)).body;
    expect(to).toMatch(`/source/saml/${slug}/?ticket=`);
    const page = await arrive(slug, { nameId }, browser, to.slice(to.indexOf('?')));
    expect(page.location).toBe(`/if/flow/${flow.slug}/`);
    expect((await browser.show(flow.slug)).body.component).toBe('xak-flow-redirect');
    expect((await browser.get('/core/users/me/')).body.user.pk).toBe(user.pk);
  });

  test('the flow before it is gone through first, with whatever it asks', async () => {
    const before = await makeWalk(server(), [['dummy']]);
    const { slug } = await source({ pre_authentication_flow: before.pk });
    const browser = newBrowser(server());
    const page = await leave(slug, browser, '?next=/if/user/');
    expect(page.location).toMatch(`/if/flow/${before.slug}/?next=`);
    const back = decodeURIComponent(page.location.split('?next=')[1] ?? '');
    const skipped = await leave(slug, browser, back.slice(back.indexOf('?')));
    expect(skipped.location).toMatch(`/if/flow/${before.slug}/`);
    const query = skipped.location.slice(skipped.location.indexOf('?') + 1);
    await browser.show(before.slug, query);
    const { to } = (await browser.answer(before.slug, { component: 'xak-stage-dummy' }, query)).body;
    const there = await leave(slug, browser, to.slice(to.indexOf('?')));
    expect(there.location).toMatch(`${idpUrl}?SAMLRequest=`);
    expect((await leave(slug, browser, to.slice(to.indexOf('?')))).location).toMatch('/if/flow/');
  });

  test('is offered on the sign-in page and among what can be connected', async () => {
    const { slug, name, pk } = await source();
    const flow = await makeWalk(server(), [['identification', { user_fields: ['username'], sources: [pk] }]]);
    const { body } = await newBrowser(server()).show(flow.slug);
    expect(body.sources).toMatchObject([{ name, challenge: { to: `/source/saml/${slug}/` } }]);
    const browser = await signedInBrowser(server(), (await server().user()).pk);
    const settings = (await browser.get('/sources/all/user_settings/')).body;
    expect(settings).toContainEqual(
      expect.objectContaining({
        object_uid: slug,
        component: 'xak-user-settings-source-saml',
        configure_url: `/source/saml/${slug}/?link`,
      }),
    );
  });

  test('a disabled source serves only its metadata', async () => {
    const { slug } = await source({ enabled: false });
    for (const last of ['', 'acs/', 'slo/']) {
      expect((await visit(server(), newBrowser(server()), `/source/saml/${slug}/${last}`)).status).toBe(404);
    }
    expect((await post(slug, signedResponse(about(slug), key))).status).toBe(404);
    const page = await visit(server(), newBrowser(server()), `/source/saml/${slug}/metadata/`);
    expect([page.status, page.text]).toEqual([
      200,
      expect.stringContaining(`entityID="${address(slug, 'metadata/')}"`),
    ]);
  });

  test('an answer is refused when a user has signed in or out meanwhile', async () => {
    const { slug } = await source();
    const browser = newBrowser(server());
    const inResponseTo = attributeOf(await depart(slug, browser), 'ID');
    const { cookies } = await signedInBrowser(server(), (await server().user()).pk);
    for (const [name, value] of cookies) browser.cookies.set(name, value);
    const page = await bring(slug, browser, signedResponse(about(slug, { inResponseTo }), key));
    expect(saidOn(page)).toContain('You have signed in or out in the meantime');
    expect(await connectionsOf(slug)).toEqual([]);
  });

  test('an enrolment goes on to its end only while the source is open', async () => {
    const { slug } = await source();
    const browser = newBrowser(server());
    const page = await arrive(slug, {}, browser);
    await server().admin.patch(`/sources/saml/${slug}/`, { enabled: false });
    expect((await throughFlow(browser, page)).component).toBe('xak-stage-access-denied');
  });
});
