import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../support/jobs.ts';
import { describeOnSqlite } from '../../support/server.ts';
import { goodbye, stay, strict } from './logout-client.ts';
import { prepare } from './person.ts';
import { type SuiteClient, suiteClient } from './suite-client.ts';

interface Told {
  readonly method: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly form: URLSearchParams;
}

/** A client's own server, which takes logout tokens. */
function logoutReceiver() {
  const told: Told[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    told.push({ method: request.method, headers: request.headers, form: new URLSearchParams(text) });
    response.writeHead(200, { 'cache-control': 'no-store' }).end();
  });
  return { told, server };
}

describeOnSqlite(
  'Back-Channel Logout OP',
  (server) => {
    let receiver: ReturnType<typeof logoutReceiver>;
    let suite: SuiteClient | undefined;
    beforeAll(async () => {
      receiver = logoutReceiver();
      await new Promise<void>((done) => receiver.server.listen(0, '127.0.0.1', done));
      await prepare(server());
      const backchannel_logout_uri = `http://127.0.0.1:${(receiver.server.address() as AddressInfo).port}/logout`;
      const settings = { backchannel_logout_uri, post_logout_redirect_uris: strict(goodbye) };
      suite = await suiteClient(server(), { responseType: 'code', settings });
    });
    afterAll(() => void receiver.server.close());

    test('oidcc-backchannel-logout-discovery-endpoint-verification: promised, with the session named', () => {
      expect(suite?.metadata).toMatchObject({
        backchannel_logout_supported: true,
        backchannel_logout_session_supported: true,
      });
    });

    test('oidcc-backchannel-rp-initiated-logout: the client is sent a logout token for the session that ends', async () => {
      const { metadata, verify, party } = suite as SuiteClient;
      const { leave, done, isSignedIn } = await stay(suite as SuiteClient);
      const { location } = await leave({ id_token_hint: done.idToken, post_logout_redirect_uri: goodbye, state: 's' });
      expect(location?.href).toBe(`${goodbye}?state=s`);
      await until(() => receiver.told.length > 0);
      const [{ method, headers, form } = {} as Told, ...rest] = receiver.told;
      expect([method, rest]).toEqual(['POST', []]);
      expect(headers['content-type']).toMatch(/^application\/x-www-form-urlencoded/);
      expect([...form.keys()]).toEqual(['logout_token']);
      const token = form.get('logout_token') ?? '';
      const { alg, typ } = decodeProtectedHeader(token);
      expect([alg, typ]).toEqual([decodeProtectedHeader(done.idToken).alg, 'logout+jwt']);
      // OpenID Connect Back-Channel Logout §2.4
      const { payload } = await verify(token);
      expect(payload).toEqual({
        iss: metadata.issuer,
        aud: party.clientId,
        sub: done.claims.sub,
        sid: done.claims.sid,
        iat: expect.any(Number),
        exp: expect.any(Number),
        jti: expect.any(String),
        events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
      });
      expect(Math.abs((payload.iat as number) - Date.now() / 1000)).toBeLessThan(60);
      expect(await isSignedIn()).toBe(false);
    });
  },
  { env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.0/8' } },
);
