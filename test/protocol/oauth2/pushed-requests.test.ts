import { SignJWT, UnsecuredJWT } from 'jose';
import { expect, test } from 'vitest';
import type { Made } from '../../support/providers.ts';
import {
  asForm,
  callback,
  makeRelyingParty,
  type RelyingParty,
  stranger,
  type Visit,
  visitor,
} from '../../support/relying-party.ts';
import { describeOnBoth } from '../../support/server.ts';

const codeOf = ({ location }: Visit) => location?.searchParams.get('code') ?? null;
const bodyOf = ({ text }: Visit): Made => JSON.parse(text);

describeOnBoth('RFC 9126: pushed authorization requests', (server) => {
  const push = ({ clientId, clientSecret }: RelyingParty, params: Record<string, string>) =>
    stranger(server()).visit(
      '/application/o/par/',
      asForm({
        client_id: clientId,
        client_secret: clientSecret,
        response_type: 'code',
        redirect_uri: callback,
        scope: 'openid',
        ...params,
      }),
    );

  test('par-ensure-request-uri: what was pushed counts, and nothing beside it', async () => {
    const party = await makeRelyingParty(server());
    const answer = await push(party, { state: 'pushed' });
    const { request_uri, expires_in } = bodyOf(answer);
    expect([answer.status, expires_in]).toEqual([201, 590]);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const browser = await visitor(server());
    const beside = { client_id: party.clientId, request_uri, state: 'beside', redirect_uri: 'https://evil.example/' };
    const { location } = await browser.authorize(beside);
    expect(`${location?.origin}${location?.pathname}`).toBe(callback);
    expect(location?.searchParams.get('state')).toBe('pushed');
  });

  test('par-ensure-reused-request-uri-fails, and another client cannot use it', async () => {
    const [party, other] = [await makeRelyingParty(server()), await makeRelyingParty(server())];
    const { request_uri } = bodyOf(await push(party, {}));
    const browser = await visitor(server());
    expect((await browser.authorize({ client_id: other.clientId, request_uri })).status).toBe(400);
    const params = { client_id: party.clientId, request_uri };
    expect(codeOf(await browser.authorize(params))).not.toBeNull();
    expect((await browser.authorize(params)).status).toBe(400);
  });

  test('errors are told to the client at once, by the codes of the specifications', async () => {
    const party = await makeRelyingParty(server());
    const open = await makeRelyingParty(server(), { client_type: 'public', client_secret: '' });
    const table: [RelyingParty, Record<string, string>, number, string][] = [
      [party, { client_secret: 'wrong' }, 401, 'invalid_client'],
      [party, { redirect_uri: 'https://evil.example/' }, 400, 'invalid_request'],
      [party, { request_uri: 'urn:ietf:params:oauth:request_uri:x' }, 400, 'invalid_request'],
      [party, { response_type: 'magic' }, 400, 'unsupported_response_type'],
      [party, { prompt: 'none login' }, 400, 'invalid_request'],
      [party, { request: 'x.y.z' }, 400, 'invalid_request_object'],
      [open, {}, 400, 'invalid_request'],
    ];
    for (const [client, params, status, error] of table) {
      const answer = await push(client, params);
      expect([answer.status, bodyOf(answer).error, params]).toEqual([status, error, params]);
    }
  });
});

describeOnBoth('RFC 9101: signed authorization requests', (server) => {
  const aud = ({ slug }: RelyingParty) => `${server().world.config.publicUrl}/application/o/${slug}/`;
  const sign = (party: RelyingParty, claims: Record<string, unknown> = {}, secret = party.clientSecret) =>
    new SignJWT({
      iss: party.clientId,
      aud: aud(party),
      client_id: party.clientId,
      response_type: 'code',
      redirect_uri: callback,
      scope: 'openid',
      state: 'signed',
      exp: Math.floor(Date.now() / 1000) + 60,
      ...claims,
    })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(new TextEncoder().encode(secret));

  test('only signed parameters count', async () => {
    const party = await makeRelyingParty(server());
    const { authorize } = await visitor(server());
    const request = await sign(party, { max_age: 10_000, claims: { id_token: { email: null } } });
    const { location } = await authorize({ client_id: party.clientId, request, state: 'beside', prompt: 'none login' });
    expect(location?.searchParams.get('state')).toBe('signed');
    expect(location?.searchParams.has('code')).toBe(true);
  });

  test('objects not signed by this client for this server and this time are refused', async () => {
    const [party, other] = [await makeRelyingParty(server()), await makeRelyingParty(server())];
    const open = await makeRelyingParty(server(), { client_type: 'public' });
    const { authorize } = await visitor(server());
    const unsigned = new UnsecuredJWT({ client_id: party.clientId, response_type: 'code', redirect_uri: callback });
    const table: [string, RelyingParty, string][] = [
      ['alg none', party, unsigned.setIssuer(party.clientId).setAudience(aud(party)).encode()],
      ['another secret', party, await sign(party, {}, other.clientSecret)],
      ['another client', party, await sign(other)],
      ['another client inside', party, await sign(party, { client_id: other.clientId })],
      ['another issuer', party, await sign(party, { iss: other.clientId })],
      ['another audience', party, await sign(party, { aud: 'https://elsewhere.example/' })],
      ['expired', party, await sign(party, { exp: 1_000_000_000 })],
      ['one inside another', party, await sign(party, { request: 'x.y.z' })],
      ['a pushed one inside', party, await sign(party, { request_uri: 'urn:ietf:params:oauth:request_uri:x' })],
      ['another redirect URI', party, await sign(party, { redirect_uri: 'https://evil.example/' })],
      ['by the secret of a public client', open, await sign(open)],
    ];
    for (const [name, client, request] of table) {
      const { status, location } = await authorize({ client_id: client.clientId, request });
      expect([name, status, location]).toEqual([name, 400, null]);
    }
  });
});
