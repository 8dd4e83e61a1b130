import { hash } from 'node:crypto';
import { calculateJwkThumbprint, decodeJwt, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { randomToken } from '../../../src/platform/random.ts';
import { callback, makeCode, makeRelying, post, type Relying, verifier } from '../../support/oauth2.ts';
import { stillClock } from '../../support/second-factor.ts';
import { describeOnSqlite, type TestServer } from '../../support/server.ts';

interface Holder {
  readonly jkt: string;
  /** A proof for an endpoint; claims and header can be replaced to break it. */
  prove(endpoint: string, claims?: Record<string, unknown>, header?: Record<string, unknown>): Promise<string>;
}

async function makeHolder({ world }: TestServer): Promise<Holder> {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(publicKey);
  return {
    jkt: await calculateJwkThumbprint(jwk),
    prove: (endpoint, claims = {}, header = {}) =>
      new SignJWT({
        jti: randomToken(),
        htm: 'POST',
        htu: `${world.config.publicUrl}/application/o/${endpoint}/`,
        iat: Math.floor(Date.now() / 1000),
        ...claims,
      })
        .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk, ...header })
        .sign(privateKey),
  };
}

const credentials = (server: TestServer, { basic }: Relying, dpop: string) =>
  post(
    server,
    'token',
    { grant_type: 'client_credentials', scope: 'openid gatehouse/api' },
    { authorization: basic, dpop },
  );

const userinfo = ({ nobody }: TestServer, authorization: string, dpop?: string) =>
  nobody.get('/application/o/userinfo/', { authorization, ...(dpop && { dpop }) });

describeOnSqlite('DPoP (RFC 9449)', (server) => {
  test('a token is bound to the key of the proof, and refused without it', async () => {
    const relying = await makeRelying(server());
    const holder = await makeHolder(server());
    const { status, body } = await credentials(server(), relying, await holder.prove('token'));
    expect([status, body.token_type]).toEqual([200, 'DPoP']);
    expect(decodeJwt(body.access_token).cnf).toEqual({ jkt: holder.jkt });
    const { access_token } = body;
    const ath = hash('sha256', access_token, 'base64url');
    const get = (claims: Record<string, unknown> = {}) => holder.prove('userinfo', { htm: 'GET', ath, ...claims });
    expect((await userinfo(server(), `DPoP ${access_token}`, await get())).status).toBe(200);
    const thief = await makeHolder(server());
    const stolen = await thief.prove('userinfo', { htm: 'GET', ath });
    const refusals = [
      await userinfo(server(), `Bearer ${access_token}`),
      await userinfo(server(), `Bearer ${access_token}`, await get()),
      await userinfo(server(), `DPoP ${access_token}`),
      await userinfo(server(), `DPoP ${access_token}`, stolen),
      await userinfo(server(), `DPoP ${access_token}`, await get({ ath: 'x' })),
      await userinfo(server(), `DPoP ${access_token}`, await get({ ath: undefined })),
      await userinfo(server(), `DPoP ${access_token}`, await get({ htm: 'POST' })),
    ];
    for (const refused of refusals) {
      expect(refused.status).toBe(401);
      expect(refused.headers.get('www-authenticate')).toMatch(/error="invalid_(token|dpop_proof)"/);
    }
    // RFC 9449 §7.1: which signatures would do.
    expect(refusals.at(-1)?.headers.get('www-authenticate')).toMatch(/^DPoP .*, algs="[\w ]*ES256[\w ]*"$/);
    // Nor does it open the API for whoever merely has it.
    expect((await server().as(access_token).get('/core/users/me/')).status).toBe(403);
    const told = await post(server(), 'introspect', { token: access_token }, { authorization: relying.basic });
    expect(told.body).toMatchObject({ active: true, token_type: 'DPoP', cnf: { jkt: holder.jkt } });
  });

  test('invalid proofs are refused (§4.3)', async () => {
    const relying = await makeRelying(server());
    const holder = await makeHolder(server());
    const now = Math.floor(Date.now() / 1000);
    const good = await holder.prove('token');
    expect((await credentials(server(), relying, good)).status).toBe(200);
    const secret = await exportJWK((await generateKeyPair('ES256', { extractable: true })).privateKey);
    const bad = [
      good,
      await holder.prove('token', { htm: 'GET' }),
      await holder.prove('userinfo'),
      await holder.prove('token', { htu: 'https://elsewhere.example/application/o/token/' }),
      await holder.prove('token', { iat: now - 300 }),
      await holder.prove('token', { iat: now + 300 }),
      await holder.prove('token', { iat: undefined }),
      await holder.prove('token', { jti: undefined }),
      await holder.prove('token', {}, { typ: 'JWT' }),
      await holder.prove('token', {}, { jwk: secret }),
      await holder.prove('token', {}, { jwk: undefined }),
      `${(await holder.prove('token')).split('.').slice(0, 2).join('.')}.AAAA`,
      `${await holder.prove('token')}, ${await holder.prove('token')}`,
      'nonsense',
    ];
    for (const proof of bad) {
      const { status, body } = await credentials(server(), relying, proof);
      expect([status, body.error]).toEqual([400, 'invalid_dpop_proof']);
    }
    const query = await holder.prove('token', { htu: `${server().world.config.publicUrl}/application/o/token/?a=b#c` });
    expect((await credentials(server(), relying, query)).status).toBe(200);
  });

  test('the refresh token of a public client is bound too (§5), and so is a code (§10)', async () => {
    const relying = await makeRelying(server(), { client_type: 'public' });
    const { client_id } = relying.provider;
    const { pk } = await server().user();
    const [holder, thief] = [await makeHolder(server()), await makeHolder(server())];
    const exchange = async (dpop: string | undefined, code: string) =>
      post(
        server(),
        'token',
        { grant_type: 'authorization_code', client_id, code, redirect_uri: callback, code_verifier: verifier },
        dpop === undefined ? {} : { dpop },
      );
    const bound = await makeCode(server(), relying, pk, { terms: { jkt: holder.jkt } });
    expect((await exchange(undefined, bound)).body.error).toBe('invalid_dpop_proof');
    expect((await exchange(await thief.prove('token'), bound)).body.error).toBe('invalid_dpop_proof');
    const first = await exchange(await holder.prove('token'), bound);
    expect(first.status).toBe(200);
    const refresh = async (refresh_token: string, dpop?: string) =>
      post(
        server(),
        'token',
        { grant_type: 'refresh_token', client_id, refresh_token },
        dpop === undefined ? {} : { dpop },
      );
    const { refresh_token } = first.body;
    expect((await refresh(refresh_token)).body.error).toBe('invalid_dpop_proof');
    expect((await refresh(refresh_token, await thief.prove('token'))).body.error).toBe('invalid_dpop_proof');
    const second = await refresh(refresh_token, await holder.prove('token'));
    expect([second.status, second.body.token_type]).toEqual([200, 'DPoP']);
    expect((await refresh(second.body.refresh_token)).body.error).toBe('invalid_dpop_proof');
  });
});

const clock = stillClock();

describeOnSqlite(
  'DPoP (RFC 9449) from a clock that is ahead',
  (server) => {
    test('a proof is remembered for as long as it is taken', async () => {
      const relying = await makeRelying(server());
      const holder = await makeHolder(server());
      const begin = Math.ceil(Date.parse(clock.now()) / 1000) * 1000;
      clock.forward(begin - Date.parse(clock.now()));
      const proof = await holder.prove('token', { iat: begin / 1000 + 60 });
      expect((await credentials(server(), relying, proof)).status).toBe(200);
      clock.forward(120_500);
      const { db } = server().world;
      await db.write((tx) => sql`delete from oauth2_seen where expires <= ${clock.now()}`.execute(tx));
      const { status, body } = await credentials(server(), relying, proof);
      expect([status, body.error_description]).toEqual([400, 'The proof was used before.']);
      clock.forward(500);
      const late = await credentials(server(), relying, proof);
      expect(late.body.error_description).toBe('The proof was not made just now.');
    });
  },
  { clock },
);
