import { sql } from 'kysely';
import { type Complaints, Problem } from '../../../lib/problem.ts';
import { completePasswordFlow } from '../../../provider/password-server/password-flow.ts';
import { holdsOn } from '../../../resource/access/access.ts';
import type { CheckInput } from '../../../resource/resource.ts';
import { isWithin, type Network, readNetworks } from './networks.ts';
import { radiusModel } from './radius-model.ts';

type Input = CheckInput<{
  pk: number;
  authorization_flow: string;
  client_networks: string;
  certificate: string | null;
  client_ca: string | null;
  radsec_ca: string | null;
}>;

/** Fills in defaults and validates the provider as a whole. */
export const completeSettings = async (input: Input): Promise<Complaints | null> =>
  (await completePasswordFlow(input)) ?? certificateComplaint(input) ?? (await networksTaken(input));

/** Who issues certificates of clients signs in as anybody. */
function certificateComplaint({ call: { actor }, values, current }: Input): Complaints | null {
  const { certificate, client_ca, radsec_ca } = values;
  if (client_ca !== null && certificate === null) return { certificate: ['EAP-TLS needs a key pair for the server.'] };
  if (radsec_ca !== null && certificate === null) return { certificate: ['RadSec needs a key pair for the server.'] };
  if (radsec_ca !== null && radsec_ca === client_ca)
    return { radsec_ca: ['Choose another authority than that of devices, which could act as clients.'] };
  if (!actor || actor.isSuperuser || client_ca === null || client_ca === current?.client_ca) return null;
  throw new Problem('permission_denied', 'Only superusers choose who issues the certificates of devices.');
}

const networksIn = (list: string): Network[] => readNetworks(list).filter((network) => network !== null);

/** A network has one secret. Within the network of another provider only who may change that one takes a part. */
async function networksTaken({ tx, call, registry, values, current }: Input): Promise<Complaints | null> {
  await call.db.dialect.exclusive('RADIUS networks')?.execute(tx);
  const { rows: others } = await sql<{ pk: number; client_networks: string }>`select pk, client_networks
    from provider_radius where pk <> ${current?.pk ?? 0}`.execute(tx);
  const before = new Set(networksIn(current?.client_networks ?? '').map(({ key }) => key));
  const added = networksIn(values.client_networks).filter(({ key }) => !before.has(key));
  for (const other of others) {
    const taken = networksIn(other.client_networks);
    const same = added.find(({ key }) => taken.some((one) => one.key === key));
    if (same) return { client_networks: [`Another provider has the network ${same.text}.`] };
    if (!call.actor || !added.some((network) => taken.some((one) => isWithin(network, one)))) continue;
    const resource = registry.require(radiusModel);
    const change = resource.permission('change');
    if (await holdsOn(call.actor, change, resource, other.pk, tx)) continue;
    throw Problem.lacks(change, 'A network is in that of a provider that you may not change.');
  }
  return null;
}
