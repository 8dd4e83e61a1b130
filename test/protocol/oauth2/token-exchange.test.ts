import { decodeJwt } from 'jose';
import { expect, test } from 'vitest';
import {
  accessTokenType,
  admitClients,
  type Fields,
  makeRelying,
  post,
  tokensFor,
  tradeToken,
} from '../../support/oauth2.ts';
import { describeOnBoth } from '../../support/server.ts';

describeOnBoth('token exchange (RFC 8693) and resource indicators (RFC 8707)', (server) => {
  test('a client exchanges its own token for one with less scope that expires no later', async () => {
    const relying = await makeRelying(server());
    const { pk } = await server().user();
    const given = await tokensFor(server(), relying, pk);
    const { status, body } = await tradeToken(server(), relying, given.access_token, { scope: 'openid' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ issued_token_type: accessTokenType, token_type: 'Bearer', scope: 'openid' });
    expect(body).not.toHaveProperty('refresh_token');
    const [before, after] = [decodeJwt(given.access_token), decodeJwt(body.access_token)];
    expect(after.sub).toBe(before.sub);
    expect(after.exp).toBeLessThanOrEqual(before.exp as number);
    expect((await tradeToken(server(), relying, body.access_token, { scope: 'email' })).body.error).toBe(
      'invalid_scope',
    );
    // What came of it goes with what it came from.
    await post(server(), 'revoke', { token: given.refresh_token }, { authorization: relying.basic });
    const told = await post(server(), 'introspect', { token: body.access_token }, { authorization: relying.basic });
    expect(told.body).toEqual({ active: false });
  });

  test('a token exchanged for another client can be exchanged further by that client alone', async () => {
    const [front, back, stranger] = [
      await makeRelying(server()),
      await makeRelying(server()),
      await makeRelying(server()),
    ];
    await admitClients(server(), back, [front]);
    const { access_token } = await tokensFor(server(), front, (await server().user()).pk);
    expect((await tradeToken(server(), back, access_token)).body.error).toBe('invalid_request');
    const { client_id } = back.provider;
    const meant = await tradeToken(server(), front, access_token, { audience: client_id });
    expect(decodeJwt(meant.body.access_token).aud).toBe(client_id);
    expect((await tradeToken(server(), stranger, meant.body.access_token)).body.error).toBe('invalid_request');
    const told = await post(server(), 'introspect', { token: meant.body.access_token }, { authorization: back.basic });
    expect(told.body).toMatchObject({ active: true, aud: client_id });
    const traded = await tradeToken(server(), back, meant.body.access_token);
    expect(traded.status).toBe(200);
    expect(decodeJwt(traded.body.access_token)).toMatchObject({ client_id, aud: client_id, iss: back.issuer });
    expect((await tradeToken(server(), front, access_token, { audience: 'nobody' })).body.error).toBe('invalid_target');
  });

  test('malformed requests are refused', async () => {
    const relying = await makeRelying(server());
    const { access_token } = await tokensFor(server(), relying, (await server().user()).pk);
    const wrong: [Fields, string][] = [
      [{ subject_token: undefined }, 'invalid_request'],
      [{ subject_token_type: undefined }, 'invalid_request'],
      [{ subject_token_type: 'urn:ietf:params:oauth:token-type:id_token' }, 'invalid_request'],
      [{ requested_token_type: 'urn:ietf:params:oauth:token-type:saml2' }, 'invalid_request'],
      [{ actor_token: 'x' }, 'invalid_request'],
      [{ scope: 'openid profile' }, 'invalid_scope'],
      [{ resource: 'not absolute' }, 'invalid_target'],
    ];
    for (const [fields, error] of wrong) {
      expect((await tradeToken(server(), relying, access_token, fields)).body.error).toBe(error);
    }
    const open = await makeRelying(server(), { client_type: 'public' });
    expect((await tradeToken(server(), open, access_token)).body.error).toBe('unauthorized_client');
  });

  test('resources become the audience, and a grant that names some gives no others', async () => {
    const [one, two] = ['https://one.example/', 'https://two.example/api'];
    const relying = await makeRelying(server(), { resources: [one, two] });
    const fields = { grant_type: 'client_credentials', resource: [one, two] };
    const { body } = await post(server(), 'token', fields, { authorization: relying.basic });
    expect(decodeJwt(body.access_token).aud).toEqual([one, two]);
    const { pk } = await server().user();
    const given = await tokensFor(server(), relying, pk, { terms: { resource: [one, two] } });
    expect(decodeJwt(given.access_token).aud).toEqual([one, two]);
    const other = await tradeToken(server(), relying, given.access_token, { resource: 'https://three.example/' });
    expect(other.body.error).toBe('invalid_target');
    const same = await tradeToken(server(), relying, given.access_token);
    expect(decodeJwt(same.body.access_token).aud).toEqual([one, two]);
    const refresh = (refresh_token: string, resource?: string) =>
      post(
        server(),
        'token',
        { grant_type: 'refresh_token', refresh_token, resource },
        { authorization: relying.basic },
      );
    const less = await refresh(given.refresh_token, two);
    expect(decodeJwt(less.body.access_token).aud).toBe(two);
    const more = await refresh(less.body.refresh_token, 'https://three.example/');
    expect(more.body.error).toBe('invalid_target');
    const whole = await refresh(less.body.refresh_token);
    expect(decodeJwt(whole.body.access_token).aud).toEqual([one, two]);
    for (const resource of ['relative', 'https://one.example/#part']) {
      const refused = await post(server(), 'token', { ...fields, resource }, { authorization: relying.basic });
      expect(refused.body.error).toBe('invalid_target');
    }
  });
});
