import { randomText } from '../../src/platform/random.ts';
import type { Made } from './providers.ts';
import { makeApplication } from './providers.ts';
import type { TestServer } from './server.ts';

export const acs = 'https://sp.example/acs';
export const entityId = 'https://sp.example/metadata';

/** A key of a service provider, as PEM. */
export interface SpPair {
  readonly certificate: string;
  readonly key: string;
}

export interface ServiceProvider {
  readonly provider: Made;
  readonly application: Made;
  readonly slug: string;
  /** Of the application: `at('metadata/')`. */
  at(path: string): string;
}

/** The shipped flow that asks nothing. */
export async function implicitFlow({ admin }: TestServer): Promise<string> {
  const slug = 'default-provider-authorization-implicit-consent';
  return (await admin.get(`/flows/instances/${slug}/`)).body.pk;
}

/** An application with a SAML provider. */
export async function makeServiceProvider(
  server: TestServer,
  values: Record<string, unknown> = {},
): Promise<ServiceProvider> {
  const { status, body: provider } = await server.admin.post('/providers/saml/', {
    name: `saml-${randomText(8)}`,
    authorization_flow: await implicitFlow(server),
    acs_url: acs,
    audience: entityId,
    ...values,
  });
  if (status !== 201) throw new Error(`no provider: ${JSON.stringify(provider)}`);
  const application = await makeApplication(server, { provider: provider.pk });
  const { slug } = application;
  return { provider, application, slug, at: (path) => `/application/saml/${slug}/${path}` };
}

/** Stores a pair, or a certificate alone. */
export async function storePair({ admin }: TestServer, { certificate, key }: Partial<SpPair>): Promise<string> {
  const body = { name: `pair-${randomText(8)}`, certificate_data: certificate, ...(key && { key_data: key }) };
  const { status, body: made } = await admin.post('/crypto/certificatekeypairs/', body);
  if (status !== 201) throw new Error(`no pair: ${JSON.stringify(made)}`);
  return made.pk;
}
