import { SignJWT, UnsecuredJWT } from 'jose';
import { expect, test } from 'vitest';
import { requestOf, type SuiteClient } from './suite-client.ts';

/** Modules about request objects (OpenID Connect Core §6), for every response type. */
export function requestObjectModules(suite: () => SuiteClient): void {
  const unsigned = (): string => {
    const { client, variant, metadata } = suite();
    const jwt = new UnsecuredJWT({ ...requestOf(client, variant, {}) });
    return jwt.setIssuer(client.client_id).setAudience(metadata.issuer).encode();
  };

  test('oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported: not promised, and not fetched', async () => {
    const { metadata, ask } = suite();
    expect(metadata.request_uri_parameter_supported).toBe(false);
    const { status, location } = await ask({ request_uri: 'https://app.example/request.jwt' });
    expect([status, location]).toEqual([400, null]);
  });

  test('oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported: not promised, and refused', async () => {
    const { metadata, ask } = suite();
    expect(metadata.request_object_signing_alg_values_supported).not.toContain('none');
    const { status, location } = await ask({ request: unsigned() });
    expect([status, location]).toEqual([400, null]);
  });

  test('oidcc-ensure-request-object-with-redirect-uri: what was signed counts before what stands beside it', async () => {
    const { ask, finish, client, variant, metadata, party } = suite();
    const inside = requestOf(client, variant, {});
    const request = await new SignJWT({ ...inside })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer(client.client_id)
      .setAudience(metadata.issuer)
      .setExpirationTime('1h')
      .sign(new TextEncoder().encode(party.clientSecret));
    const answer = await ask({ request, redirect_uri: 'https://app.example/not-registered' });
    await finish({ ...answer, sent: inside });
  });
}
