import { made, unique } from '../make-walk.ts';
import type { TestServer } from '../server.ts';

const values = {
  proxy: () => ({
    ...{ name: unique('app'), external_host: `https://${unique('app')}.example.com`, mode: 'forward_single' },
  }),
  ldap: () => ({ name: unique('directory'), base_dn: `dc=${unique('directory')}` }),
  radius: () => ({ name: unique('radius'), client_networks: '10.0.0.0/8', shared_secret: 'a-long-shared-secret' }),
};

export type OutpostTypeInTest = keyof typeof values;

/** A provider that outposts of a type serve. */
export const providerFor = (server: TestServer, type: OutpostTypeInTest, more: object = {}) =>
  made(server, `/providers/${type}/`, { ...values[type](), ...more });

/** An outpost with one provider, which a service connection is to deploy. */
export async function deployedOutpost(
  server: TestServer,
  connection: string | null,
  {
    type = 'proxy',
    config = {},
    ...more
  }: { type?: OutpostTypeInTest; config?: object; [member: string]: unknown } = {},
) {
  const provider = await providerFor(server, type);
  const body = {
    name: unique('Gate'),
    type,
    providers: [provider.pk],
    config,
    service_connection: connection,
    ...more,
  };
  return { ...(await made(server, '/outposts/instances/', body)), provider };
}

/** What its page shows. */
export const deploymentOf = async ({ admin }: TestServer, pk: string) =>
  (await admin.get(`/outposts/instances/${pk}/deployment/`)).body;
