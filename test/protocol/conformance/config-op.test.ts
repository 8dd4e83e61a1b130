import { decodeProtectedHeader, importJWK, type JWK } from 'jose';
import * as oauth from 'oauth4webapi';
import { beforeAll, expect, test } from 'vitest';
import { makeKey } from '../../support/oauth2.ts';
import { makeRelyingParty, type RelyingParty } from '../../support/relying-party.ts';
import { describeOnSqlite, type TestServer } from '../../support/server.ts';
import { atThisServer } from './suite-client.ts';

const publicUrl = 'https://id.example';
/** RFC 7518 §6.2.2, §6.3.2, §6.4.1 */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

interface Discovered extends oauth.AuthorizationServer {
  readonly jwks_uri: string;
}

async function discover(server: TestServer, { slug }: RelyingParty) {
  const issuer = new URL(`${publicUrl}/application/o/${slug}/`);
  const response = await oauth.discoveryRequest(issuer, atThisServer(server));
  const metadata = (await oauth.processDiscoveryResponse(issuer, response.clone())) as Discovered;
  return { response, metadata };
}

describeOnSqlite(
  'Config OP',
  (server) => {
    let party: RelyingParty | undefined;
    beforeAll(async () => {
      party = await makeRelyingParty(server());
    });
    const known = () => discover(server(), party as RelyingParty);
    const keysOf = async ({ jwks_uri }: Discovered): Promise<JWK[]> =>
      ((await (await atThisServer(server())[oauth.customFetch](jwks_uri)).json()) as { keys: JWK[] }).keys;

    test('oidcc-discovery-endpoint-verification: the document is JSON, and its issuer is where it stands', async () => {
      const { response, metadata } = await known();
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toContain('application/json');
      expect(`${metadata.issuer}.well-known/openid-configuration`).toBe(
        `${publicUrl}/application/o/${party?.slug}/.well-known/openid-configuration`,
      );
    });

    test('oidcc-discovery-endpoint-verification: everything that OpenID Connect Discovery §3 demands is told', async () => {
      const { metadata } = await known();
      expect(metadata.response_types_supported).toEqual(['code']);
      expect(metadata.subject_types_supported).toEqual(['public']);
      expect(metadata.id_token_signing_alg_values_supported).toContain('RS256');
      expect(metadata.scopes_supported).toContain('openid');
      expect(metadata.grant_types_supported).toContain('authorization_code');
      expect(metadata.claims_supported).toEqual(expect.arrayContaining(['sub', 'iss', 'auth_time', 'name', 'email']));
      expect(metadata.request_object_signing_alg_values_supported).toContain('RS256');
      expect(metadata.claims_parameter_supported).toBe(true);
      expect(metadata.request_parameter_supported).toBe(true);
      // §3: without the member, a client would take it for supported.
      expect(metadata.request_uri_parameter_supported).toBe(false);
      for (const method of ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none']) {
        expect(metadata.token_endpoint_auth_methods_supported).toContain(method);
      }
    });

    test('oidcc-discovery-endpoint-verification: every endpoint is an https address, and there is something there', async () => {
      const { metadata } = await known();
      const endpoints = Object.entries(metadata).filter(([name]) => /_(endpoint|uri)$/.test(name));
      expect(endpoints.map(([name]) => name).sort()).toEqual([
        'authorization_endpoint',
        'device_authorization_endpoint',
        'end_session_endpoint',
        'introspection_endpoint',
        'jwks_uri',
        'pushed_authorization_request_endpoint',
        'revocation_endpoint',
        'token_endpoint',
        'userinfo_endpoint',
      ]);
      for (const [name, address] of endpoints) {
        expect([name, address]).toEqual([name, expect.stringMatching(/^https:\/\/id\.example\//)]);
        const path = new URL(String(address)).pathname;
        const isRead = /^(authorization|end_session|userinfo)_endpoint$|^jwks_uri$/.test(name);
        const { status } = await server().nobody.send(isRead ? 'GET' : 'POST', path);
        expect([name, status]).toEqual([name, expect.not.toBeOneOf([404, 405, 500])]);
      }
    });

    test('oidcc-discovery-endpoint-verification: the keys are public, named apart, and good to verify with', async () => {
      const keys = await keysOf((await known()).metadata);
      expect(keys.length).toBeGreaterThan(0);
      expect(new Set(keys.map(({ kid }) => kid)).size).toBe(keys.length);
      for (const key of keys) {
        expect(Object.keys(key).filter((member) => privateMembers.includes(member))).toEqual([]);
        expect([key.use, typeof key.kid, typeof key.alg]).toEqual(['sig', 'string', 'string']);
        await importJWK(key);
      }
    });

    test('oidcc-server-rotate-keys: a new key is published beside the old while the old is needed', async () => {
      const { metadata } = await known();
      const before = await keysOf(metadata);
      const { clientId, clientSecret, provider } = party as RelyingParty;
      const client = { client_id: clientId };
      const asked = { scope: 'openid' };
      const mint = async () => {
        const auth = oauth.ClientSecretBasic(clientSecret);
        const options = atThisServer(server());
        const answer = await oauth.clientCredentialsGrantRequest(metadata, client, auth, asked, options);
        return (await oauth.processClientCredentialsResponse(metadata, client, answer)).access_token;
      };
      const old = decodeProtectedHeader(await mint());
      const change = { signing_key: await makeKey(server(), 'rsa') };
      expect((await server().admin.patch(`/providers/oauth2/${provider.pk}/`, change)).status).toBe(200);
      const after = await keysOf(metadata);
      const young = decodeProtectedHeader(await mint());
      expect(young.kid).not.toBe(old.kid);
      expect(before.map(({ kid }) => kid)).toEqual([old.kid]);
      expect(after.map(({ kid }) => kid).sort()).toEqual([old.kid, young.kid].sort());
    });
  },
  { env: { GATEHOUSE_PUBLIC_URL: publicUrl } },
);
