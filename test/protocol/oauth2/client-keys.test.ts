import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { randomToken } from '../../../src/platform/random.ts';
import { makeRelying, post, type Relying } from '../../support/oauth2.ts';
import { callback, makeRelyingParty, visitor } from '../../support/relying-party.ts';
import { describeOnSqlite, type TestServer } from '../../support/server.ts';
import { movableClock } from '../conformance/movable-clock.ts';

const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

interface Pair {
  readonly jwk: JWK;
  sign(claims: Record<string, unknown>): Promise<string>;
}

async function makePair(kid: string = randomToken()): Promise<Pair> {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const jwk = { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' };
  return {
    jwk,
    sign: (claims) =>
      new SignJWT({ jti: randomToken(), ...claims })
        .setProtectedHeader({ alg: 'ES256', kid })
        .setIssuedAt()
        .setExpirationTime('15m')
        .sign(privateKey),
  };
}

async function ask(
  server: TestServer,
  { provider, issuer }: Relying,
  pair: Pair,
  claims: Record<string, unknown> = {},
) {
  const { client_id } = provider;
  const answer = await post(server, 'token', {
    grant_type: 'client_credentials',
    client_assertion_type: assertionType,
    client_id,
    client_assertion: await pair.sign({ iss: client_id, sub: client_id, aud: issuer, ...claims }),
  });
  return answer.status;
}

describeOnSqlite('keys of a client', (server) => {
  test('RFC 7523 §3: a client proves itself by a key of its jwks, and by no other', async () => {
    const [own, other] = [await makePair(), await makePair()];
    const relying = await makeRelying(server(), { jwks: { keys: [own.jwk] } });
    expect(await ask(server(), relying, own)).toBe(200);
    expect(await ask(server(), relying, other)).toBe(401);
    const imposter = await makePair(own.jwk.kid);
    expect(await ask(server(), relying, imposter)).toBe(401);
  });

  test('claims that cannot become text end in no fault', async () => {
    const own = await makePair();
    const relying = await makeRelying(server(), { jwks: { keys: [own.jwk] } });
    const wordless = { toString: 1, valueOf: 1 };
    const askWith = (claim: string) => ask(server(), relying, own, { [claim]: wordless });
    for (const claim of ['sub', 'iss', 'aud', 'nbf']) expect([claim, await askWith(claim)]).toEqual([claim, 401]);
    // The id makes it good for one request, whatever it is.
    expect([await askWith('jti'), await askWith('jti')]).toEqual([200, 401]);
  });

  test('RFC 7523 §3: a key of the client speaks for the client alone, not for workloads', async () => {
    const own = await makePair();
    const relying = await makeRelying(server(), { jwks: { keys: [own.jwk] } });
    expect(await ask(server(), relying, own, { sub: 'a-workload' })).toBe(401);
    expect(await ask(server(), relying, own, { iss: 'https://cluster.example', sub: 'a-workload' })).toBe(401);
  });

  test('RFC 9101 §6.2: a request object is verified by a key of the client', async () => {
    const own = await makePair();
    const party = await makeRelyingParty(server(), { jwks: { keys: [own.jwk] } });
    const { clientId: client_id, slug } = party;
    const aud = `${server().world.config.publicUrl}/application/o/${slug}/`;
    const object = { response_type: 'code', redirect_uri: callback, scope: 'openid', state: 'signed' };
    const request = await own.sign({ iss: client_id, aud, client_id, ...object });
    const { location } = await (await visitor(server())).authorize({ client_id, request });
    expect([location?.searchParams.get('state'), location?.searchParams.has('code')]).toEqual(['signed', true]);
  });

  test('RFC 7591 §2: keys are named by value or by address, and only public ones are stored', async () => {
    const { jwk } = await makePair();
    const { provider } = await makeRelying(server());
    const path = `/providers/oauth2/${provider.pk}/`;
    const table: [Record<string, unknown>, string][] = [
      [{ jwks: { keys: [jwk] }, jwks_uri: 'https://app.example/keys' }, 'jwks_uri'],
      [{ jwks_uri: 'ftp://app.example/keys' }, 'jwks_uri'],
      [{ jwks: { keys: [{ ...jwk, d: 'private' }] } }, 'jwks'],
      [{ jwks: { keys: [{ kty: 'oct', k: 'c2VjcmV0' }] } }, 'jwks'],
      [{ jwks: { keys: 'none' } }, 'jwks'],
      [{ jwks: { keys: [1] } }, 'jwks'],
      [{ jwks: { keys: Array.from({ length: 51 }, () => jwk) } }, 'jwks'],
      [{ jwks: [] }, 'jwks'],
    ];
    for (const [body, member] of table) {
      const answer = await server().admin.patch(path, body);
      expect([answer.status, Object.keys(answer.body), body]).toEqual([400, [member], body]);
    }
    const stored = await server().admin.patch(path, { jwks: { keys: [jwk] } });
    expect([stored.status, stored.body.jwks]).toEqual([200, { keys: [jwk] }]);
  });
});

const clock = movableClock();

describeOnSqlite(
  'keys at the address of a client',
  (server) => {
    /** A client that publishes its keys. */
    async function publishing(work: (url: string, published: { keys: JWK[]; fetched: number }) => Promise<void>) {
      const published: { keys: JWK[]; fetched: number } = { keys: [], fetched: 0 };
      const http = createServer((_request, response) => {
        published.fetched += 1;
        response.end(JSON.stringify({ keys: published.keys }));
      });
      await new Promise<void>((done) => http.listen(0, '127.0.0.1', done));
      try {
        await work(`http://127.0.0.1:${(http.address() as AddressInfo).port}/keys`, published);
      } finally {
        http.close();
      }
    }

    test('OpenID Connect Core §10.1.1: a rotated key is fetched when it is first used, at most every half minute', async () => {
      await publishing(async (url, published) => {
        const [old, next, stranger] = [await makePair(), await makePair(), await makePair()];
        published.keys = [old.jwk];
        const relying = await makeRelying(server(), { jwks_uri: url });
        expect(await ask(server(), relying, old)).toBe(200);
        published.keys = [next.jwk];
        expect(await ask(server(), relying, next)).toBe(401);
        expect(published.fetched).toBe(1);
        clock.pass(31);
        expect(await ask(server(), relying, next)).toBe(200);
        expect(published.fetched).toBe(2);
        for (let i = 0; i < 3; i += 1) expect(await ask(server(), relying, stranger)).toBe(401);
        expect(published.fetched).toBe(2);
      });
    });

    test('keys that cannot be fetched again stay good for a while', async () => {
      await publishing(async (url, published) => {
        const [known, missing] = [await makePair(), await makePair()];
        published.keys = [known.jwk];
        const relying = await makeRelying(server(), { jwks_uri: url });
        expect(await ask(server(), relying, known)).toBe(200);
        published.keys = [];
        clock.pass(31);
        expect(await ask(server(), relying, missing)).toBe(401);
        expect(await ask(server(), relying, known)).toBe(200);
        expect(published.fetched).toBe(2);
        clock.pass(300);
        expect(await ask(server(), relying, known)).toBe(401);
      });
    });
  },
  { clock, env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.0/8' } },
);
