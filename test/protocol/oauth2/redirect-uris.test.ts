import { describe, expect, test } from 'vitest';
import { fapiClient } from '../../support/fapi-client.ts';
import { basicHeader, callback, challenge, exchangeCode, post, verifier } from '../../support/oauth2.ts';
import { asForm, fieldsOf, makeRelyingParty, signInTo, type Visit, visitor } from '../../support/relying-party.ts';
import { authnRequest, makeServiceProvider, redirectQuery } from '../../support/saml-sp.ts';
import { describeOnSqlite } from '../../support/server.ts';

const strict = (...urls: string[]) => urls.map((url) => ({ matching_mode: 'strict', url }));
const codeOf = ({ location }: Visit) => location?.searchParams.get('code') ?? '';

describeOnSqlite('redirect URIs', (server) => {
  const request = (client_id: string, redirect_uri: string, more: Record<string, string> = {}) => ({
    ...{ client_id, redirect_uri, response_type: 'code', scope: 'openid' },
    ...{ code_challenge: challenge, code_challenge_method: 'S256' },
    ...more,
  });

  describe('on a loopback address (RFC 8252 §7.3)', () => {
    const rights = ['svc_providers_oauth2.add_oauth2provider', 'svc_core.add_application'];
    /** A command-line tool that has registered itself (RFC 7591). */
    async function registeredTool(redirectUri: string): Promise<string> {
      const { token } = await server().user(rights);
      const metadata = { client_name: 'Tool', redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' };
      const { status, body } = await server().as(token).post('/application/o/register/', metadata);
      expect(status).toBe(201);
      return body.client_id;
    }

    test.each([
      ['http://127.0.0.1/callback', 'http://127.0.0.1:51004/callback'],
      ['http://127.0.0.1:8000/callback?a=b', 'http://127.0.0.1:51004/callback?a=b'],
      ['http://[::1]/callback', 'http://[::1]:51004/callback'],
      ['http://127.0.0.1', 'http://127.0.0.1:51004'],
    ])('%s allows %s, in the whole code flow', async (registered, used) => {
      const client_id = await registeredTool(registered);
      const browser = await visitor(server());
      let answer = await browser.authorize(request(client_id, used));
      const [, flow] = /^\/if\/flow\/([^/]+)\/$/.exec(answer.location?.pathname ?? '') ?? [];
      if (flow) answer = await browser.visit(await browser.agree(flow));
      expect(answer.location?.port).toBe('51004');
      const token = (redirect_uri: string) =>
        post(server(), 'token', {
          ...{ grant_type: 'authorization_code', client_id, redirect_uri },
          ...{ code: codeOf(answer), code_verifier: verifier },
        });
      expect((await token(registered)).body.error).toBe('invalid_grant');
      expect((await token(used)).status).toBe(200);
    });

    test.each([
      ['http://127.0.0.1/callback', 'http://127.0.0.1:51004/other'],
      ['http://127.0.0.1/callback', 'http://127.0.0.2:51004/callback'],
      ['http://127.0.0.1/callback', 'http://127.0.0.1:51004@evil.example/callback'],
      ['http://127.0.0.1', 'http://127.0.0.1.evil.example'],
      ['http://127.0.0.1/callback', 'http://127.0.0.1:99999/callback'],
      ['http://127.0.0.1/callback', 'http://[::1]:51004/callback'],
      ['http://localhost/callback', 'http://localhost:51004/callback'],
      ['https://127.0.0.1/callback', 'https://127.0.0.1:51004/callback'],
      ['http://192.168.0.1/callback', 'http://192.168.0.1:51004/callback'],
    ])('%s does not allow %s', async (registered, used) => {
      const { clientId } = await makeRelyingParty(server(), { redirect_uris: strict(registered) });
      const answer = await (await visitor(server())).authorize(request(clientId, used));
      expect([answer.status, answer.location]).toEqual([400, null]);
    });

    test('of FAPI 2.0 clients are compared as they are', async () => {
      const client = await fapiClient(server(), { redirect_uris: strict(callback, 'http://127.0.0.1/callback') });
      expect((await client.push({ redirect_uri: 'http://127.0.0.1/callback' })).status).toBe(201);
      expect((await client.push({ redirect_uri: 'http://127.0.0.1:51004/callback' })).status).toBe(400);
    });

    test('for signing out are compared as they are', async () => {
      const party = await makeRelyingParty(server(), { post_logout_redirect_uris: strict('http://127.0.0.1/') });
      const browser = await visitor(server());
      const { tokens } = await signInTo(server(), party, browser);
      const query = { id_token_hint: tokens.id_token ?? '', post_logout_redirect_uri: 'http://127.0.0.1:51004/' };
      const left = await browser.visit(`/application/o/${party.slug}/end-session/?${new URLSearchParams(query)}`);
      expect([left.status, left.location]).toEqual([200, null]);
    });
  });

  describe('beyond ASCII are compared as registered and sent encoded:', () => {
    const cases: [string, string][] = [
      ['https://bücher.example/zurück?größe=1', 'https://xn--bcher-kva.example/zur%C3%BCck?gr%C3%B6%C3%9Fe=1&'],
      [
        'https://例え.テスト/コールバック',
        'https://xn--r8jz45g.xn--zckzah/%E3%82%B3%E3%83%BC%E3%83%AB%E3%83%90%E3%83%83%E3%82%AF?',
      ],
      ['com.example.app:/zurück', 'com.example.app:/zur%C3%BCck?'],
    ];

    test.each(cases)('%s gets its code at %s', async (redirect_uri, sent) => {
      const relying = await makeRelyingParty(server(), { redirect_uris: strict(redirect_uri) });
      const browser = await visitor(server());
      const answer = await browser.authorize(request(relying.clientId, redirect_uri, { state: 'ä' }));
      expect(answer.status).toBe(302);
      const location = answer.headers.get('location') ?? '';
      expect(location.startsWith(`${sent}code=`)).toBe(true);
      expect(location).toMatch(/^[\x21-\x7e]+$/);
      const { provider, application, slug } = relying;
      const exchanged = await exchangeCode(
        server(),
        { provider, application, slug, issuer: '', basic: basicHeader(relying.clientId, relying.clientSecret) },
        codeOf(answer),
        { redirect_uri },
      );
      expect(exchanged.status).toBe(200);
      const encoded = await browser.authorize(request(relying.clientId, sent.slice(0, -1)));
      expect(encoded.status).toBe(400);
    });

    test.each(cases.slice(0, 2))('%s is where people go after signing out', async (uri, sent) => {
      const party = await makeRelyingParty(server(), { post_logout_redirect_uris: strict(uri) });
      const browser = await visitor(server());
      const { tokens } = await signInTo(server(), party, browser);
      const query = new URLSearchParams({ id_token_hint: tokens.id_token ?? '', post_logout_redirect_uri: uri });
      const left = await browser.visit(`/application/o/${party.slug}/end-session/?${query}`);
      expect([left.status, left.headers.get('location')]).toEqual([302, sent.slice(0, -1)]);
    });

    test('after a confirmation, too', async () => {
      const [[uri, sent]] = cases as [[string, string]];
      const party = await makeRelyingParty(server(), { post_logout_redirect_uris: strict(uri) });
      const browser = await visitor(server());
      const query = new URLSearchParams({ client_id: party.clientId, post_logout_redirect_uri: uri });
      const page = await browser.visit(`/application/o/${party.slug}/end-session/?${query}`);
      expect(page.status).toBe(200);
      const left = await browser.visit(`/application/o/${party.slug}/end-session/`, asForm(fieldsOf(page.text)));
      expect(left.headers.get('location')).toBe(sent.slice(0, -1));
    });

    test('an ACS URL gets its response by redirect', async () => {
      const sp = await makeServiceProvider(server(), {
        acs_url: 'https://bücher.example/größe?ä=1',
        sp_binding: 'redirect',
      });
      const browser = await visitor(server());
      const asked = redirectQuery(authnRequest({ attributes: { AssertionConsumerServiceURL: null } }), {
        RelayState: "it's/ü",
      });
      const answer = await browser.visit(`${sp.at('sso/binding/redirect/')}?${asked}`);
      expect(answer.status).toBe(302);
      expect(answer.headers.get('location')).toMatch(
        /^https:\/\/xn--bcher-kva\.example\/gr%C3%B6%C3%9Fe\?%C3%A4=1&SAMLResponse=[^&]+&RelayState=it's%2F%C3%BC&/,
      );
    });
  });
});
