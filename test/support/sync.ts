import { sql } from 'kysely';
import { randomText } from '../../src/platform/random.ts';
import type { Api } from './api.ts';
import { until } from './jobs.ts';
import type { TestServer } from './server.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies freely
type Made = any;

/** Where test servers may reach targets on this machine. */
export const localTargets = { env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.0/8' } };

async function managed(admin: Api, path: string, name: string): Promise<string[]> {
  const { body } = await admin.get(`/propertymappings/provider/${path}/`);
  return body.results
    .filter((one: Made) => one.managed === `gatehouse/providers/${path}/${name}`)
    .map(({ pk }: Made) => pk);
}

/** A provider with the managed mappings, in use by an application of its own. */
export async function makeSyncProvider(
  admin: Api,
  path: 'scim' | 'workspace_directory' | 'cloud_directory',
  values: Record<string, unknown>,
): Promise<Made> {
  const name = `${path}-${randomText(8)}`.toLowerCase();
  const made = await admin.post(`/providers/${path}/`, {
    name,
    property_mappings: await managed(admin, path, 'user'),
    property_mappings_group: await managed(admin, path, 'group'),
    ...values,
  });
  if (made.status !== 201) throw new Error(`no provider: ${made.text}`);
  const application = await admin.post('/core/applications/', {
    name,
    slug: name,
    backchannel_providers: [made.body.pk],
  });
  if (application.status !== 201) throw new Error(`no application: ${application.text}`);
  return made.body;
}

export const statusOf = async (admin: Api, path: string, pk: number): Promise<Made> =>
  (await admin.get(`/providers/${path}/${pk}/sync/status/`)).body;

/** Waits until a provider has nothing left to do, and no change waits to be told to it. */
export async function settled({ admin, world }: TestServer, path: string, pk: number, seconds = 30): Promise<Made> {
  let status: Made;
  await until(async () => {
    const { rows } = await sql`select 1 from sync_changes limit 1`.execute(world.db.read);
    status = await statusOf(admin, path, pk);
    return rows.length === 0 && !status.is_running && status.outstanding === 0;
  }, seconds).catch((error: Error) => {
    throw new Error(`${error.message}: ${JSON.stringify(status)}`);
  });
  return status;
}

/** What the ledger says of one object. */
export async function ledgerOf(admin: Api, path: string, pk: number, query: string): Promise<Made> {
  const { body } = await admin.get(`/providers/${path}/${pk}/sync/ledger/?${query}`);
  return body.results[0];
}

/** A user with an address in the domain of the test directories. */
export async function makeUser(admin: Api, values: Record<string, unknown> = {}): Promise<Made> {
  const username = `person-${randomText(10)}`.toLowerCase();
  const body = { username, name: 'Test Person', email: `${username}@example.com`, ...values };
  const made = await admin.post('/core/users/', body);
  if (made.status !== 201) throw new Error(`no user: ${made.text}`);
  return made.body;
}

export async function makeGroup(admin: Api, values: Record<string, unknown> = {}): Promise<Made> {
  const made = await admin.post('/core/groups/', { name: `group-${randomText(10)}`.toLowerCase(), ...values });
  if (made.status !== 201) throw new Error(`no group: ${made.text}`);
  return made.body;
}
