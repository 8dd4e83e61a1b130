import { describe, expect, test } from 'vitest';
import { nameIdFormats, statusCodes } from '../../../src/lib/saml/names.ts';
import { attributeOf, type XmlElement } from '../../../src/lib/xml/element.ts';
import { eventsDuring } from '../../support/events.ts';
import { visitor } from '../../support/relying-party.ts';
import {
  authnRequest,
  elementOf,
  makeServiceProvider,
  nameIdPolicy,
  redirectQuery,
  responseOn,
  type ServiceProvider,
  textIn,
} from '../../support/saml-sp.ts';
import { describeOnSqlite, type TestUser } from '../../support/server.ts';

const odd = (name: string) => `urn:oasis:names:tc:SAML:2.0:nameid-format:${name}`;
const redirected = 'sso/binding/redirect/';

describeOnSqlite('SAML assertions name people by', (server) => {
  type Named = { readonly email: string; readonly uid: string; readonly attributes: Record<string, string> };
  const formats: [string, string, (user: Named) => string | RegExp | undefined][] = [
    ['email', nameIdFormats.email, ({ email }) => email],
    ['persistent', nameIdFormats.persistent, ({ uid }) => uid],
    ['X509SubjectName', nameIdFormats.x509, ({ attributes }) => attributes.distinguishedName],
    ['WindowsDomainQualifiedName', nameIdFormats.windows, ({ attributes }) => attributes.upn],
    // As several products spell them.
    ['X509SubjectName of SAML 2.0', odd('X509SubjectName'), ({ attributes }) => attributes.distinguishedName],
    ['WindowsDomainQualifiedName of SAML 2.0', odd('WindowsDomainQualifiedName'), ({ attributes }) => attributes.upn],
    ['transient', nameIdFormats.transient, () => /^_[\w-]{20,}$/],
  ];
  test.each(formats)('%s', async (_name, format, expected) => {
    const sp = await makeServiceProvider(server());
    const person = await server().user([], {
      email: `ada-${sp.slug}@example.com`,
      attributes: { upn: `ada@${sp.slug}.example`, distinguishedName: `CN=Ada,DC=${sp.slug}` },
    });
    const browser = await visitor(server(), person);
    const request = authnRequest({ inside: nameIdPolicy(format) });
    const { root } = responseOn(await browser.visit(`${sp.at(redirected)}?${redirectQuery(request)}`));
    const user = (await server().admin.get(`/core/users/${person.pk}/`)).body;
    const wanted = expected(user);
    expect(textIn(root, 'NameID')).toEqual(wanted instanceof RegExp ? expect.stringMatching(wanted) : wanted);
    const nameId = elementOf(root, 'NameID');
    expect(nameId && attributeOf(nameId, 'Format')).toBe(format);
  });

  test.each([
    ['X509SubjectName', nameIdFormats.x509],
    ['WindowsDomainQualifiedName', nameIdFormats.windows],
  ])('their hash, where %s is asked for and they have no such attribute', async (_name, format) => {
    const sp = await makeServiceProvider(server());
    const person = await server().user();
    const request = redirectQuery(authnRequest({ inside: nameIdPolicy(format) }));
    const { root } = responseOn(await (await visitor(server(), person)).visit(`${sp.at(redirected)}?${request}`));
    const { uid } = (await server().admin.get(`/core/users/${person.pk}/`)).body;
    expect(textIn(root, 'NameID')).toBe(uid);
  });

  test('a transient name that differs by application, and by session', async () => {
    const [one, two] = [await makeServiceProvider(server()), await makeServiceProvider(server())];
    const person = await server().user();
    const request = () => redirectQuery(authnRequest({ inside: nameIdPolicy(nameIdFormats.transient) }));
    const names = new Set<string | undefined>();
    for (const browser of [await visitor(server(), person), await visitor(server(), person)]) {
      for (const sp of [one, two]) {
        const { root, text } = responseOn(await browser.visit(`${sp.at(redirected)}?${request()}`));
        names.add(textIn(root, 'NameID'));
        expect(text).not.toContain(`SessionIndex="${textIn(root, 'NameID')}"`);
      }
    }
    expect(names.size).toBe(4);
  });

  test('what a mapping says, in the format that was asked for; by their hash where it says nothing', async () => {
    const make = async (expression: string) => {
      const name = `name ${Math.random()}`;
      return (await server().admin.post('/propertymappings/provider/saml/', { name, saml_name: 'x', expression })).body
        .pk;
    };
    const person = await server().user();
    const browser = await visitor(server(), person);
    const { uid } = (await server().admin.get(`/core/users/${person.pk}/`)).body;
    const cases: [string, string][] = [
      ['return "name of " + user.username', `name of ${person.username}`],
      ['return null', uid],
      ['return nothing.here', uid],
    ];
    for (const [expression, expected] of cases) {
      const sp = await makeServiceProvider(server(), { name_id_mapping: await make(expression) });
      const request = authnRequest({ inside: nameIdPolicy(nameIdFormats.email) });
      let root: XmlElement | undefined;
      const events = await eventsDuring(server(), async () => {
        root = responseOn(await browser.visit(`${sp.at(redirected)}?${redirectQuery(request)}`)).root;
      });
      if (!root) throw new Error('no response');
      const told = events.filter(({ action }) => action === 'configuration_error');
      expect(told).toHaveLength(expression.includes('nothing.here') ? 1 : 0);
      expect(textIn(root, 'NameID')).toBe(expected);
      const nameId = elementOf(root, 'NameID');
      expect(nameId && attributeOf(nameId, 'Format')).toBe(nameIdFormats.email);
    }
  });

  const attributes = [
    ['upn', nameIdFormats.windows],
    ['distinguishedName', nameIdFormats.x509],
  ] as const;
  describe.each(attributes)('a %s of their own alone:', (name, format) => {
    const ask = async (sp: ServiceProvider, person?: TestUser) => {
      const request = redirectQuery(authnRequest({ inside: nameIdPolicy(format) }));
      return responseOn(await (await visitor(server(), person)).visit(`${sp.at(redirected)}?${request}`));
    };
    // Longer than the part that is indexed, so that the whole of it counts.
    const common = 'x'.repeat(300);

    test('who shares it with another is not signed in, and an event says why', async () => {
      const sp = await makeServiceProvider(server());
      const value = `${common}-${sp.slug}`;
      const first = await server().user([], { attributes: { [name]: value } });
      await server().user([], { attributes: { [name]: `${value}-other` } });
      expect(textIn((await ask(sp, first)).root, 'NameID')).toBe(value);
      const second = await server().user([], { attributes: { [name]: value.toUpperCase() } });
      for (const person of [second, first]) {
        const events = await eventsDuring(server(), async () => {
          const { status, text } = await ask(sp, person);
          expect([status.code, status.detail]).toEqual([statusCodes.requester, statusCodes.invalidNameIdPolicy]);
          expect(text).not.toContain('<saml:Assertion');
        });
        expect(events).toMatchObject([
          {
            action: 'configuration_error',
            username: person.username,
            context: { message: expect.stringContaining(name), provider: { pk: sp.provider.pk } },
          },
        ]);
      }
    });

    test('who has the hash of another as theirs is not signed in', async () => {
      const sp = await makeServiceProvider(server());
      const hash = textIn((await ask(sp)).root, 'NameID');
      const thief = await server().user([], { attributes: { [name]: hash } });
      expect((await ask(sp, thief)).status.detail).toBe(statusCodes.invalidNameIdPolicy);
    });
  });

  test('nothing empty: such a name would be many people’s', async () => {
    const sp = await makeServiceProvider(server());
    const browser = await visitor(server(), await server().user([], { email: '' }));
    const request = authnRequest({ inside: nameIdPolicy(nameIdFormats.email) });
    const { status, text } = responseOn(await browser.visit(`${sp.at(redirected)}?${redirectQuery(request)}`));
    expect([status.detail, text.includes('<saml:Assertion')]).toEqual([statusCodes.invalidNameIdPolicy, false]);
  });
});
