import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { nameIdFormats } from '../../../src/lib/saml/names.ts';
import { attributeOf, descendants, isElement } from '../../../src/lib/xml/element.ts';
import { visitor } from '../../support/relying-party.ts';
import {
  attributesOf,
  elementOf,
  makeServiceProvider,
  oidMappings,
  responseOn,
  type ServiceProvider,
  signingCertificateOf,
  textIn,
} from '../../support/saml-sp.ts';
import { describeOnSqlite } from '../../support/server.ts';
import { findXmlsec, xmlsecVerify } from '../../support/xmlsec.ts';

const hasXmlsec = await findXmlsec();

describeOnSqlite('settings of a SAML provider', (server) => {
  const certificateOf = ({ provider }: ServiceProvider) => signingCertificateOf(server(), provider);

  test('the mappings that every provider gets tell seven things of a user', async () => {
    const sp = await makeServiceProvider(server());
    const browser = await visitor(server());
    const { pk, username } = browser.person;
    const [name, email, upn] = ['Ada Lovelace', `${username}@example.com`, `${username}@corp.example`];
    await server().admin.patch(`/core/users/${pk}/`, { name, email, attributes: { upn } });
    const groups = [`a ${username}`, `b ${username}`];
    for (const group of groups) await server().admin.post('/core/groups/', { name: group, users: [pk] });
    const { root } = responseOn(await browser.visit(sp.at('init/')));
    const claims = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims';
    expect(attributesOf(root)).toEqual({
      [`${claims}/upn`]: [upn],
      [`${claims}/name`]: [name],
      [`${claims}/emailaddress`]: [email],
      'http://schemas.gatehouse/2021/02/saml/username': [username],
      'http://schemas.gatehouse/2021/02/saml/uid': [String(pk)],
      'http://schemas.xmlsoap.org/claims/Group': groups,
      'http://schemas.microsoft.com/ws/2008/06/identity/claims/windowsaccountname': [username],
    });
    const names = Object.keys(attributesOf(root));
    expect(names).toEqual(names.toSorted());
  });

  test('the mappings by object identifier tell what the default map of Shibboleth has names for', async () => {
    const { admin } = server();
    const sp = await makeServiceProvider(server(), { property_mappings: await oidMappings(server()) });
    const told = async (change: Record<string, unknown>): Promise<Record<string, string[]>> => {
      const browser = await visitor(server());
      const { pk, username } = browser.person;
      await admin.patch(`/core/users/${pk}/`, change);
      await admin.post('/core/groups/', { name: `group of ${username}`, users: [pk] });
      const { root } = responseOn(await browser.visit(sp.at('init/')));
      const elements = [...descendants(root)].filter(({ local }) => local === 'Attribute');
      for (const element of elements) {
        const [name, format] = [attributeOf(element, 'Name'), attributeOf(element, 'NameFormat')];
        expect([name, format]).toEqual([name, 'urn:oasis:names:tc:SAML:2.0:attrname-format:uri']);
      }
      const names = new Map(elements.map((one) => [attributeOf(one, 'Name'), attributeOf(one, 'FriendlyName')]));
      return Object.fromEntries(
        Object.entries(attributesOf(root)).map(([name, values]) => [
          `${names.get(name)} ${name.replace('urn:oid:', '')}`,
          values.map((value) => value.replaceAll(username, '<username>')),
        ]),
      );
    };
    const attributes = {
      upn: 'ada@corp.example',
      given_name: 'Ada',
      family_name: 'Lovelace',
      eduPersonScopedAffiliation: ['member@corp.example', 'staff@corp.example'],
      eduPersonEntitlement: 'urn:mace:dir:entitlement:common-lib-terms',
    };
    expect(await told({ name: 'Ada Lovelace', email: 'ada@example.com', attributes })).toEqual({
      'eduPersonPrincipalName 1.3.6.1.4.1.5923.1.1.1.6': ['ada@corp.example'],
      'eduPersonScopedAffiliation 1.3.6.1.4.1.5923.1.1.1.9': attributes.eduPersonScopedAffiliation,
      'eduPersonEntitlement 1.3.6.1.4.1.5923.1.1.1.7': [attributes.eduPersonEntitlement],
      'isMemberOf 1.3.6.1.4.1.5923.1.5.1.1': ['group of <username>'],
      'uid 0.9.2342.19200300.100.1.1': ['<username>'],
      'mail 0.9.2342.19200300.100.1.3': ['ada@example.com'],
      'cn 2.5.4.3': ['Ada Lovelace'],
      'displayName 2.16.840.1.113730.3.1.241': ['Ada Lovelace'],
      'givenName 2.5.4.42': ['Ada'],
      'sn 2.5.4.4': ['Lovelace'],
    });
    // Nothing is made up, and an address that people may enter themselves is no principal name.
    expect(await told({ email: 'bob@example.com', attributes: {} })).toEqual({
      'isMemberOf 1.3.6.1.4.1.5923.1.5.1.1': ['group of <username>'],
      'uid 0.9.2342.19200300.100.1.1': ['<username>'],
      'mail 0.9.2342.19200300.100.1.3': ['bob@example.com'],
      'cn 2.5.4.3': ['<username>'],
      'displayName 2.16.840.1.113730.3.1.241': ['<username>'],
    });
  });

  test.each(['days=100000000', 'days=9000000'])('a session of %s ends in the year 9999', async (length) => {
    const sp = await makeServiceProvider(server(), { session_valid_not_on_or_after: length });
    const { root } = responseOn(await (await visitor(server())).visit(sp.at('init/')));
    const statement = elementOf(root, 'AuthnStatement');
    expect(statement && attributeOf(statement, 'SessionNotOnOrAfter')).toBe('9999-12-31T23:59:59Z');
  });

  test('issuer, audience, validity, algorithms and the format of names are as the provider says', async () => {
    const sp = await makeServiceProvider(server(), {
      issuer: 'urn:ours',
      audience: '',
      assertion_valid_not_before: 'minutes=-1',
      assertion_valid_not_on_or_after: 'minutes=20',
      session_valid_not_on_or_after: 'hours=2',
      digest_algorithm: 'http://www.w3.org/2001/04/xmlenc#sha512',
      signature_algorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha384',
      default_name_id_policy: nameIdFormats.email,
    });
    const browser = await visitor(server());
    const email = `${browser.person.username}@example.com`;
    await server().admin.patch(`/core/users/${browser.person.pk}/`, { email });
    const { root, text } = responseOn(await browser.visit(sp.at('init/')));
    const of = (element: string, name: string) => attributeOf(elementOf(root, element) ?? root, name) ?? '';
    const minutes = (element: string, name: string) =>
      Math.round((Date.parse(of(element, name)) - Date.parse(of('Assertion', 'IssueInstant'))) / 60_000);
    expect(textIn(root, 'Issuer')).toBe('urn:ours');
    expect(text).not.toContain('AudienceRestriction');
    expect([minutes('Conditions', 'NotBefore'), minutes('Conditions', 'NotOnOrAfter')]).toEqual([-1, 20]);
    expect(minutes('SubjectConfirmationData', 'NotOnOrAfter')).toBe(20);
    expect(minutes('AuthnStatement', 'SessionNotOnOrAfter')).toBe(120);
    expect([of('NameID', 'Format'), textIn(root, 'NameID')]).toEqual([nameIdFormats.email, email]);
    expect(of('DigestMethod', 'Algorithm')).toMatch(/sha512$/);
    expect(of('SignatureMethod', 'Algorithm')).toMatch(/rsa-sha384$/);
    if (hasXmlsec) await xmlsecVerify(text, await certificateOf(sp), 'Assertion');
    // Some service providers stumble over line breaks in signatures, and over the order of elements.
    expect(text).not.toMatch(/\s*[\r\n]|&#(10|13|xa|xd);/i);
    const inside = (element: string) =>
      (element === 'Response' ? root : elementOf(root, element))?.children.filter(isElement).map(({ local }) => local);
    expect(inside('Response')).toEqual(['Issuer', 'Status', 'Assertion']);
    const statements = ['Subject', 'Conditions', 'AuthnStatement', 'AttributeStatement'];
    expect(inside('Assertion')).toEqual(['Issuer', 'Signature', ...statements]);
    for (const element of ['Response', 'Assertion']) {
      expect(attributeOf((element === 'Response' ? root : elementOf(root, element)) ?? root, 'ID')).toMatch(
        /^_\w{32,}$/,
      );
    }
    expect(of('Conditions', 'NotBefore')).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    // When they signed in, not when they were told of.
    const { rows } = await sql<{ created: string }>`select created from authenticated_sessions
      where pk = ${browser.session}`.execute(server().world.db.read);
    expect(of('AuthnStatement', 'AuthnInstant')).toBe(
      `${new Date(rows[0]?.created ?? '').toISOString().slice(0, 19)}Z`,
    );
  });
});
