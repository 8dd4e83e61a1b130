import { makeSource } from '../../api/sources/fixtures.ts';
import { flowKey } from '../../support/make-walk.ts';
import type { TestServer } from '../../support/server.ts';
import { clientId, clientSecret } from './openid-service.ts';

/** A source by which people can sign in and enrol. */
export async function signInSource(server: TestServer, values: Record<string, unknown>) {
  return makeSource(server, 'oauth', {
    provider_type: 'openidconnect',
    consumer_key: clientId,
    consumer_secret: clientSecret,
    authentication_flow: await flowKey(server, 'default-source-authentication'),
    enrollment_flow: await flowKey(server, 'default-source-enrollment'),
    ...values,
  });
}
