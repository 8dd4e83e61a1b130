import { isSameJson, type JsonObject } from '../../../lib/json.ts';
import type { Complaints } from '../../../lib/problem.ts';
import type { AccessContext, CheckInput } from '../../../resource/resource.ts';
import { checkRightsOn } from '../../../resource/write/write.ts';
import { providerModel } from '../../provider.family.ts';
import { defaultOutpostConfig } from '../outpost-config.ts';

/**
 * What decides where the token of the outpost travels, which code runs with it, and what that code may do on the
 * platform: more than the right to use a connection.
 */
const forSuperusers = [
  ...['svc_host', 'svc_host_insecure', 'trusted_proxies', 'container_image', 'container_network', 'container_labels'],
  ...['cluster_namespace', 'cluster_ingress_annotations', 'cluster_json_patches'],
];

interface DeployedRow extends Record<string, unknown> {
  readonly providers: readonly number[];
  readonly service_connection: string | null;
  readonly config: JsonObject;
}

const connectionReference = {
  name: 'service_connection',
  needs: 'use',
  model: 'svc_outposts.outpostserviceconnection',
} as const;

/** Deleting an outpost that is deployed stops what runs there. */
export async function checkMayRemove(
  context: AccessContext,
  { service_connection: connection }: Pick<DeployedRow, 'service_connection'>,
): Promise<void> {
  const { actor } = context.call;
  if (actor && !actor.isSuperuser && connection !== null)
    await checkRightsOn(connectionReference, [connection], context);
}

/** Changing an outpost that is deployed changes what runs there, so it takes a right on the connection each time. */
export async function deploymentComplaint(
  input: Pick<CheckInput<DeployedRow>, 'call' | 'registry' | 'tx' | 'values' | 'current'>,
  publicUrl: string,
): Promise<Complaints | null> {
  const { call, values, current } = input;
  if (!call.actor || call.actor.isSuperuser) return null;
  const defaults = defaultOutpostConfig(publicUrl);
  const stored = current?.config ?? defaults;
  const valueIn = (config: JsonObject, name: string) => config[name] ?? defaults[name] ?? null;
  const changed = forSuperusers.filter((name) => !isSameJson(valueIn(values.config, name), valueIn(stored, name)));
  if (changed.length > 0) return { config: [`Only superusers may change ${changed.join(', ')}.`] };
  const { service_connection: connection } = values;
  const connections = new Set([connection, current?.service_connection ?? null].filter((pk) => pk !== null));
  if (connections.size === 0) return null;
  await checkRightsOn(connectionReference, [...connections], input);
  // The platform gets the token, with which it can serve these providers.
  if (current && connection !== null && current.service_connection !== connection)
    await checkRightsOn({ name: 'providers', needs: 'change', model: providerModel }, values.providers, input);
  return null;
}
