import { beforeAll, expect, test } from 'vitest';
import { mappingsOf } from '../../support/oauth2.ts';
import {
  callback,
  discover,
  makeRelyingParty,
  type RelyingParty,
  signInTo,
  visitor,
} from '../../support/relying-party.ts';
import { describeOnSqlite, type TestServer, type TestUser } from '../../support/server.ts';

const explicitConsent = 'default-provider-authorization-explicit-consent';
const attributes = { family_name: 'Mercer', phone_number: '+1 555 0100', address: 'Ropewalk 7', gender: 5, locale: '' };

const userinfo = async ({ url }: TestServer, token: string) => {
  const response = await fetch(`${url}/application/o/userinfo/`, { headers: { authorization: `Bearer ${token}` } });
  return (await response.json()) as Record<string, unknown>;
};

describeOnSqlite('claims', (server) => {
  let ada: TestUser;
  beforeAll(async () => {
    ada = await server().user([], { name: 'Ada Mercer', email: 'ada@example.org', attributes });
  });

  async function told(party: RelyingParty, scope: string, claims?: object) {
    const more = { scope, ...(claims && { claims: JSON.stringify(claims) }) };
    const { tokens } = await signInTo(server(), party, await visitor(server(), ada), more);
    return {
      id: (tokens.claims() ?? {}) as Record<string, unknown>,
      info: await userinfo(server(), tokens.access_token),
    };
  }

  test('OpenID Connect Core §5.1: profile tells what the attributes hold in the right type, and splits no name', async () => {
    const { info } = await told(await makeRelyingParty(server()), 'openid profile');
    expect(info).toMatchObject({ name: 'Ada Mercer', family_name: 'Mercer' });
    for (const name of ['given_name', 'gender', 'locale', 'middle_name']) expect(info).not.toHaveProperty(name);
  });

  test('OpenID Connect Core §5.1: a full name is no user’s given name', async () => {
    const { tokens } = await signInTo(server(), await makeRelyingParty(server()), await visitor(server()), {
      scope: 'openid profile',
    });
    const info = await userinfo(server(), tokens.access_token);
    expect(info).toHaveProperty('name');
    for (const name of ['given_name', 'family_name']) expect(info).not.toHaveProperty(name);
  });

  test('OpenID Connect Core §5.4: phone and address tell nothing of who has none', async () => {
    const party = await makeRelyingParty(server());
    const { info } = await told(party, 'openid phone address');
    expect(info).toMatchObject({
      phone_number: '+1 555 0100',
      phone_number_verified: false,
      address: { formatted: 'Ropewalk 7' },
    });
    const { tokens } = await signInTo(server(), party, await visitor(server()), { scope: 'openid phone address' });
    expect(Object.keys(await userinfo(server(), tokens.access_token))).toEqual(['sub']);
  });

  test('OpenID Connect Core §5.5: a claim asked for by itself comes where it was asked for, without the rest of its scope', async () => {
    const party = await makeRelyingParty(server());
    const claims = { userinfo: { name: { essential: true } }, id_token: { email: null } };
    const { id, info } = await told(party, 'openid', claims);
    expect([info.name, info.email, id.email, id.name]).toEqual(['Ada Mercer', undefined, 'ada@example.org', undefined]);
    expect(info).not.toHaveProperty('preferred_username');
    expect(id).not.toHaveProperty('email_verified');
  });

  test('OpenID Connect Core §5.5: a claim whose scope the client has not got does not come, also not when it gets it later', async () => {
    const party = await makeRelyingParty(server(), { property_mappings: await mappingsOf(server(), ['openid']) });
    const claims = JSON.stringify({ userinfo: { name: { essential: true } } });
    const browser = await visitor(server(), ada);
    const { tokens } = await signInTo(server(), party, browser, { claims });
    expect(await userinfo(server(), tokens.access_token)).not.toHaveProperty('name');
    const property_mappings = await mappingsOf(server(), ['openid', 'profile']);
    await server().admin.patch(`/providers/oauth2/${party.provider.pk}/`, { property_mappings });
    expect(await userinfo(server(), tokens.access_token)).not.toHaveProperty('name');
  });

  test('OpenID Connect Core §5.5: people see and agree to each claim by its name', async () => {
    const { clientId: client_id } = await makeRelyingParty(server(), {}, explicitConsent);
    const browser = await visitor(server());
    const request = { client_id, response_type: 'code', redirect_uri: callback, scope: 'openid email' };
    const claims = JSON.stringify({ userinfo: { name: { essential: true }, email: null }, id_token: { name: null } });
    await browser.authorize({ ...request, claims });
    const { permissions } = await browser.answerStep(explicitConsent);
    expect(permissions.map(({ id }: { id: string }) => id)).toEqual(['email', 'openid', 'claim:name']);
    expect(permissions.at(-1).name).toBe('Your full name');
    const { location } = await browser.visit(await browser.agree(explicitConsent));
    expect(location?.searchParams.has('code')).toBe(true);
    // What was agreed to is remembered; other claims are asked about again.
    expect((await browser.authorize({ ...request, claims })).location?.searchParams.has('code')).toBe(true);
    const more = JSON.stringify({ userinfo: { name: null, phone_number: null } });
    expect((await browser.authorize({ ...request, claims: more })).location?.pathname).toContain('/if/flow/');
  });

  test('OpenID Connect Core §5.4: claims left out of the id_token are told at userinfo, unless there is no access token', async () => {
    const grant_types = ['authorization_code', 'implicit'];
    const party = await makeRelyingParty(server(), { include_claims_in_id_token: false, grant_types });
    const { id, info } = await told(party, 'openid profile');
    expect([id.name, info.name]).toEqual([undefined, 'Ada Mercer']);
    const browser = await visitor(server(), ada);
    const { location } = await browser.authorize({
      client_id: party.clientId,
      response_type: 'id_token',
      redirect_uri: callback,
      scope: 'openid profile',
      nonce: 'n',
    });
    const [, payload = ''] = new URLSearchParams(location?.hash.slice(1)).get('id_token')?.split('.') ?? [];
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({ name: 'Ada Mercer' });
  });

  test('OpenID Connect Discovery §3: the document names the scopes and the claims that the client can have', async () => {
    const all = (await discover(server(), await makeRelyingParty(server()))).serverMetadata();
    expect(all.scopes_supported).toEqual(expect.arrayContaining(['profile', 'phone', 'address']));
    const claims = ['birthdate', 'updated_at', 'phone_number_verified', 'address', 'zoneinfo', 'family_name'];
    expect(all.claims_supported).toEqual(expect.arrayContaining(claims));
    const few = await makeRelyingParty(server(), {
      property_mappings: await mappingsOf(server(), ['openid', 'email']),
    });
    const { claims_supported } = (await discover(server(), few)).serverMetadata();
    expect(claims_supported).toContain('email');
    for (const name of claims) expect(claims_supported).not.toContain(name);
  });
});
