import { decodeProtectedHeader } from 'jose';
import { expect, test } from 'vitest';
import { makeFlow } from '../../support/providers.ts';
import { makeRelyingParty, signInTo, visitor } from '../../support/relying-party.ts';
import { makeServiceProvider, responseOn } from '../../support/saml-sp.ts';
import { describeOnBoth, describeOnSqlite } from '../../support/server.ts';

// Clients that manage providers as code send null for a key, and must read null: else every plan wants to change it.

describeOnBoth('a provider without a signing key', (server) => {
  test('reads null, and the key pair of the server signs', async () => {
    const party = await makeRelyingParty(server(), { signing_key: null, id_token_signed_response_alg: 'auto' });
    expect(party.provider.signing_key).toBeNull();
    const { tokens } = await signInTo(server(), party, await visitor(server()));
    const { alg, kid } = decodeProtectedHeader(String(tokens.id_token));
    expect(alg).not.toBe('HS256');
    const { body } = await server().nobody.get(`/application/o/${party.slug}/jwks/`.replace('/api/v3', ''));
    expect(body.keys.map((key: { kid: string }) => key.kid)).toContain(kid);
  });

  test('reads null when the member is left out', async () => {
    const { admin } = server();
    const body = { name: 'as code', authorization_flow: await makeFlow(server()), redirect_uris: [] };
    const made = await admin.post('/providers/oauth2/', body);
    expect([made.status, made.body.signing_key, made.body.id_token_signed_response_alg]).toEqual([201, null, 'auto']);
    expect((await admin.get(`/providers/oauth2/${made.body.pk}/`)).body).toEqual(made.body);
    const saml = await admin.post('/providers/saml/', {
      ...body,
      name: 'SAML as code',
      acs_url: 'https://sp.example/acs',
    });
    expect([saml.status, saml.body.signing_kp]).toEqual([201, null]);
  });

  test('signs SAML assertions by the key pair of the server', async () => {
    const sp = await makeServiceProvider(server(), { signing_kp: null });
    expect(sp.provider.signing_kp).toBeNull();
    const { text } = responseOn(await (await visitor(server())).visit(sp.at('init/')));
    expect(text).toContain('SignatureValue');
    // Service providers look up names together with their format.
    expect(text).toMatch(/Name="http:[^"]+" NameFormat="urn:oasis:names:tc:SAML:2.0:attrname-format:uri"/);
  });
});

describeOnSqlite('addresses that programs look for', (server) => {
  test('discovery is found below an issuer that ends in a slash', async () => {
    const party = await makeRelyingParty(server());
    for (const path of [
      '//.well-known/openid-configuration',
      `/application/o/${party.slug}//.well-known/openid-configuration`,
    ]) {
      const response = await fetch(`${server().url}${path}`, { redirect: 'manual' });
      expect([path, response.status]).toEqual([path, 200]);
      const single = await fetch(`${server().url}${path.replace('//', '/')}`);
      expect(await response.json()).toEqual(await single.json());
    }
    expect((await fetch(`${server().url}//evil.example/`, { redirect: 'manual' })).status).toBe(404);
  });

  test('WebFinger names the issuer for accounts of the domains of a brand', async () => {
    const { admin } = server();
    const { publicUrl } = server().world.config;
    const party = await makeRelyingParty(server());
    const domain = `brand-${party.slug.toLowerCase()}.example`;
    const { body: brand } = await admin.post('/core/brands/', { domain });
    const ask = async (resource: string, rel = '') => {
      const query = new URLSearchParams({ resource, ...(rel && { rel }) });
      const response = await fetch(`${server().url}/.well-known/webfinger?${query}`);
      return {
        status: response.status,
        type: response.headers.get('content-type'),
        body: (await response.json()) as { links: unknown[] },
      };
    };
    const rel = 'http://openid.net/specs/connect/1.0/issuer';
    const account = `acct:ada@${domain}`;
    const found = await ask(account);
    expect([found.status, found.type]).toEqual([200, 'application/jrd+json']);
    expect(found.body).toEqual({ subject: account, links: [{ rel, href: `${publicUrl}/` }] });
    await admin.patch(`/core/brands/${brand.brand_uuid}/`, { default_application: party.application.pk });
    const href = `${publicUrl}/application/o/${party.slug}/`;
    expect((await ask(account, rel)).body.links).toEqual([{ rel, href }]);
    expect((await ask(account, 'http://other.example/rel')).body.links).toEqual([]);
    expect((await ask('acct:ada@elsewhere.example')).status).toBe(404);
    expect((await ask('not an account')).status).toBe(404);
  });
});
