import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { csrfHeader } from '../../src/core/session/session-cookies.ts';
import { makeRelyingParty, stranger, type Visitor, visitor } from '../support/relying-party.ts';
import { makeServiceProvider } from '../support/saml-sp.ts';
import { describeOnSqlite, type TestServer } from '../support/server.ts';

const permissions = ['svc_providers_oauth2.view_oauth2provider', 'svc_providers_saml.view_samlprovider'];
const explicit = 'default-provider-authorization-explicit-consent';

const tester = async (server: TestServer): Promise<Visitor> => visitor(server, await server.user(permissions));
const begin = (browser: Pick<Visitor, 'visit'>, pk: number, kind = 'oauth2') =>
  browser.visit(`/application/test-${kind}/${pk}/`);

/** Asks for the outcome, as the page does. */
async function outcomeOf(browser: Visitor, pk: number, ticket: string, kind = 'oauth2') {
  const { status, text } = await browser.visit(`/api/v3/providers/${kind}/${pk}/test_sign_in/`, {
    method: 'POST',
    body: JSON.stringify({ ticket }),
    headers: { [csrfHeader]: browser.jar.get('gatehouse_csrf') ?? '', 'content-type': 'application/json' },
  });
  return { status, body: JSON.parse(text) };
}

const ticketIn = (address: URL | null): string => {
  expect(address?.pathname).toBe('/if/admin/applications/test/');
  return address?.searchParams.get('ticket') ?? '';
};

describeOnSqlite('a test sign-in', (server) => {
  test('shows an administrator the claims that the client would get of them, once, and gives out nothing', async () => {
    const { provider } = await makeRelyingParty(server());
    const browser = await tester(server());
    const ticket = ticketIn((await begin(browser, provider.pk)).location);
    const { status, body } = await outcomeOf(browser, provider.pk, ticket);
    expect([status, body.passing, body.message]).toEqual([200, true, '']);
    const { username } = browser.person;
    expect(body.claims).toMatchObject({
      id_token: { aud: provider.client_id, preferred_username: username, sub: expect.any(String) },
      userinfo: { preferred_username: username, sub: body.claims.id_token.sub },
    });
    expect((await outcomeOf(browser, provider.pk, ticket)).body.ticket[0]).toContain('was shown before');
    for (const table of ['oauth2_access_tokens', 'oauth2_authorization_codes']) {
      const { rows } = await sql`select 1 from ${sql.table(table)} where provider = ${provider.pk}`.execute(
        server().world.db.read,
      );
      expect([table, rows.length]).toEqual([table, 0]);
    }
  });

  test('goes through the authorization flow, and tells of a refusal', async () => {
    const { provider } = await makeRelyingParty(server(), {}, explicit);
    const browser = await tester(server());
    expect((await begin(browser, provider.pk)).location?.pathname).toBe(`/if/flow/${explicit}/`);
    const to = await browser.agree(explicit);
    const { body } = await outcomeOf(browser, provider.pk, ticketIn(new URL(to, server().url)));
    expect(body.passing).toBe(true);
  });

  test('is of no use to others, nor for anything else', async () => {
    const { provider } = await makeRelyingParty(server());
    const browser = await tester(server());
    const ticket = ticketIn((await begin(browser, provider.pk)).location);
    const other = await tester(server());
    expect((await outcomeOf(other, provider.pk, ticket)).status).toBe(400);
    const redeemed = await browser.visit(`/application/o/authorize/?ticket=${ticket}`);
    expect([redeemed.status, redeemed.location]).toEqual([400, null]);
    const another = await makeRelyingParty(server());
    expect((await outcomeOf(browser, another.provider.pk, ticket)).status).toBe(400);
    expect((await outcomeOf(browser, provider.pk, ticket)).body.passing).toBe(true);
    const anyone = await visitor(server());
    expect((await begin(anyone, provider.pk)).status).toBe(404);
    expect((await begin(browser, 999_999)).status).toBe(404);
    const nobody = await begin(stranger(server()), provider.pk);
    expect(nobody.location?.pathname).toMatch(/^\/if\/flow\//);
  });

  test('says that an application is closed to the person, or switched off', async () => {
    const { admin } = server();
    const { provider, application } = await makeRelyingParty(server());
    const browser = await tester(server());
    const outcome = async () => (await begin(browser, provider.pk)).location?.searchParams.get('outcome');
    await admin.post('/policies/bindings/', { target: application.pk, user: (await server().user()).pk, order: 0 });
    expect(await outcome()).toBe('denied');
    await admin.patch(`/core/applications/${application.slug}/`, { enabled: false });
    expect(await outcome()).toBe('off');
  });

  test('shows the attributes that a SAML service provider would get, and buys no assertion', async () => {
    const { provider, at } = await makeServiceProvider(server());
    const browser = await tester(server());
    const ticket = ticketIn((await begin(browser, provider.pk, 'saml')).location);
    const assertion = await browser.visit(`${at('')}?ticket=${ticket}`);
    expect([assertion.status, assertion.text.includes('SAMLResponse')]).toEqual([400, false]);
    const { body } = await outcomeOf(browser, provider.pk, ticket, 'saml');
    expect(body).toMatchObject({ passing: true, claims: { assertion: { audience: provider.audience } } });
    expect(JSON.stringify(body.claims.attributes)).toContain(browser.person.username);
  });
});
