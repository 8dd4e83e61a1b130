import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attributeOf } from '../../src/lib/xml/element.ts';
import { newBrowser, visit } from '../protocol/oauth-source/visitor.ts';
import { samlWalk } from '../protocol/saml-source/saml-walk.ts';
import { atFactor, makeFactorFlow } from '../support/factor-walk.ts';
import { copyBrowser } from '../support/flow-client.ts';
import { exchangeCode, makeCode, makeRelying, post, tokensFor } from '../support/oauth2.ts';
import { personWithPasskey } from '../support/passkey.ts';
import { type IdpKey, idpKey, signedResponse } from '../support/saml-idp.ts';
import { giveCodes, personWithPassword } from '../support/second-factor.ts';
import { hasPostgres, startServer, type TestServer } from '../support/server.ts';

const rounds = 5;
const origin = 'http://id.example.org';

describe.skipIf(!hasPostgres)('replay: one proof shown to two instances at once', () => {
  let first: TestServer;
  let second: TestServer;
  let key: IdpKey;
  beforeAll(async () => {
    key = await idpKey();
    const env = { GATEHOUSE_PUBLIC_URL: origin };
    first = await startServer('postgres', { env });
    second = await startServer('postgres', { env: { ...env, DATABASE_URL: first.world.config.databaseUrl ?? '' } });
  });
  afterAll(async () => {
    await second?.close();
    await first?.close();
  });

  const turn = (index: number) => (index % 2 ? second : first);
  const sessionsOf = async (user: number) => {
    const { rows } = await sql`select 1 from authenticated_sessions where "user" = ${user}`.execute(
      first.world.db.read,
    );
    return rows.length;
  };

  test('an assertion of a passkey that does not count makes one session', async () => {
    const ada = await personWithPasskey(first, { counts: false, origin });
    const flow = await makeFactorFlow(first, 'webauthn');
    for (let round = 1; round <= rounds; round += 1) {
      const before = await sessionsOf(ada.pk);
      const { browser, offered } = await atFactor(first, flow, ada);
      const webauthn = ada.key.prove(offered.challenge);
      await Promise.all(
        Array.from({ length: 6 }, (_, index) => copyBrowser(turn(index), browser).answer(flow, { webauthn })),
      );
      expect((await sessionsOf(ada.pk)) - before).toBe(1);
    }
  });

  test('a recovery code is good for one of many walks', async () => {
    const ada = await personWithPassword(first);
    const codes = await giveCodes(first, ada.username);
    const flow = await makeFactorFlow(first, 'static');
    for (const code of codes.slice(0, rounds)) {
      const before = await sessionsOf(ada.pk);
      const walks = await Promise.all(Array.from({ length: 4 }, (_, index) => atFactor(turn(index), flow, ada)));
      await Promise.all(walks.map(({ browser }) => browser.answer(flow, { code })));
      expect((await sessionsOf(ada.pk)) - before).toBe(1);
    }
  });

  test('a SAML response is accepted once', async () => {
    const { source, depart, about } = samlWalk(
      () => first,
      () => key,
    );
    const { slug } = await source();
    for (let round = 0; round < rounds; round += 1) {
      const inResponseTo = attributeOf(await depart(slug, newBrowser(first)), 'ID');
      const form = { SAMLResponse: Buffer.from(signedResponse(about(slug, { inResponseTo }), key)).toString('base64') };
      const pages = await Promise.all(
        Array.from({ length: 6 }, (_, index) =>
          visit(turn(index), newBrowser(turn(index)), `/source/saml/${slug}/acs/`, { form }),
        ),
      );
      expect(pages.map(({ status }) => status).sort()).toEqual([303, 400, 400, 400, 400, 400]);
    }
  });

  test('a code, a refresh token and a DPoP proof are good once', async () => {
    const relying = await makeRelying(first);
    const { pk } = await first.user();
    const holder = await generateKeyPair('ES256', { extractable: true });
    const jwk = await exportJWK(holder.publicKey);
    const claims = { htm: 'POST', htu: `${origin}/application/o/token/`, iat: Math.floor(Date.now() / 1000) };
    const authorization = relying.basic;
    const atBoth = async (send: (at: TestServer) => Promise<{ readonly status: number }>) => {
      const answers = await Promise.all(Array.from({ length: 12 }, (_, index) => send(turn(index))));
      return answers.filter(({ status }) => status === 200).length;
    };
    for (let round = 1; round <= rounds; round += 1) {
      const code = await makeCode(first, relying, pk);
      const { refresh_token } = await tokensFor(first, relying, pk);
      const dpop = await new SignJWT({ ...claims, jti: `${round}` })
        .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk })
        .sign(holder.privateKey);
      const good = [
        await atBoth((at) => exchangeCode(at, relying, code)),
        await atBoth((at) => post(at, 'token', { grant_type: 'refresh_token', refresh_token }, { authorization })),
        await atBoth((at) => post(at, 'token', { grant_type: 'client_credentials' }, { authorization, dpop })),
      ];
      expect(good).toEqual([1, 1, 1]);
    }
  });
});
