import { makeSource } from '../../api/sources/fixtures.ts';
import type { TestServer } from '../../support/server.ts';
import { clientId, clientSecret } from './openid-service.ts';

/** A source by which people can sign in and enrol. */
export async function signInSource(server: TestServer, values: Record<string, unknown>) {
  const flow = async (slug: string) => (await server.admin.get(`/flows/instances/${slug}/`)).body.pk;
  return makeSource(server, 'oauth', {
    provider_type: 'openidconnect',
    consumer_key: clientId,
    consumer_secret: clientSecret,
    authentication_flow: await flow('default-source-authentication'),
    enrollment_flow: await flow('default-source-enrollment'),
    ...values,
  });
}
