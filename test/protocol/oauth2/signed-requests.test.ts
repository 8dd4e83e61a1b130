import { SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { basicHeader, post } from '../../support/oauth2.ts';
import { callback, makeRelyingParty, visitor } from '../../support/relying-party.ts';
import { describeOnSqlite } from '../../support/server.ts';

describeOnSqlite('a client that must sign its requests (RFC 9101)', (server) => {
  const asked = (client_id: string) => ({ client_id, response_type: 'code', redirect_uri: callback, scope: 'openid' });
  async function client() {
    const party = await makeRelyingParty(server(), { require_signed_request_object: true });
    const { clientId, clientSecret, slug } = party;
    const issuer = `${server().world.config.publicUrl}/application/o/${slug}/`;
    const request = await new SignJWT(asked(clientId))
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer(clientId)
      .setAudience(issuer)
      .sign(new TextEncoder().encode(clientSecret));
    const push = (fields: Record<string, string>) =>
      post(server(), 'par', fields, { authorization: basicHeader(clientId, clientSecret) });
    return { party, request, push };
  }

  test('is refused without a request object, and the client learns why', async () => {
    const { party, push } = await client();
    const browser = await visitor(server());
    const { location } = await browser.authorize(asked(party.clientId));
    expect(location?.searchParams.get('error')).toBe('invalid_request');
    expect(location?.searchParams.get('error_description')).toContain('must sign');
    const pushed = await push(asked(party.clientId));
    expect([pushed.status, pushed.body.error]).toEqual([400, 'invalid_request']);
  });

  test('gets its code for a signed request, pushed or not', async () => {
    const { party, request, push } = await client();
    const browser = await visitor(server());
    const direct = await browser.authorize({ client_id: party.clientId, request });
    expect(direct.location?.searchParams.has('code')).toBe(true);
    const { body } = await push({ request });
    const pushed = await browser.authorize({ client_id: party.clientId, request_uri: body.request_uri });
    expect(pushed.location?.searchParams.has('code')).toBe(true);
  });

  test('is announced in the document of its application', async () => {
    const { party } = await client();
    const { body } = await server().nobody.send('GET', `/application/o/${party.slug}/.well-known/openid-configuration`);
    expect(body.require_signed_request_object).toBe(true);
  });
});
