import { message, type StoredMessage } from '../../../lib/texts/message.ts';
import { type Client, type ClientDependencies, loadClient } from './client.ts';
import { OAuthError } from './oauth-error.ts';

const maxResources = 20;

type Asking = Pick<Client, 'client_id' | 'targets'>;

/**
 * The resources (RFC 8707) or audiences that an access token is meant for. The client must be allowed to request each
 * of them, and they must be among those of the grant, if it has any. Without any, those of the grant.
 */
export function checkResource(
  asked: readonly string[],
  { client_id, targets }: Asking,
  granted?: readonly string[],
): readonly string[] {
  if (asked.length > maxResources) throw new OAuthError('invalid_target', 'Too many resources were requested.');
  for (const resource of asked) {
    const complaint = resourceComplaint(resource);
    if (complaint !== null) throw new OAuthError('invalid_target', complaint);
    if (granted && !granted.includes(resource)) {
      throw new OAuthError('invalid_target', 'The resource was not granted.');
    }
  }
  const resources = asked.length === 0 ? (granted ?? []) : [...new Set(asked)];
  const foreign = resources.find((resource) => resource !== client_id && !targets.includes(resource));
  if (foreign === undefined) return resources;
  throw new OAuthError(
    'invalid_target',
    `The client may not request tokens for ${foreign.slice(0, 200)}: the provider does not list it in resources, nor does another list the client in audience_clients.`,
  );
}

export const resourceComplaint = (resource: string): string | null =>
  URL.canParse(resource) && !resource.includes('#') ? null : 'A resource is an absolute URI without a fragment.';

/** The other clients of this server among resources: policies of their applications decide, too. */
export async function targetClients(
  needs: ClientDependencies,
  { client_id }: Asking,
  resources: readonly string[] = [],
): Promise<Client[]> {
  const found = await Promise.all(
    resources.filter((resource) => resource !== client_id).map((clientId) => loadClient(needs, { clientId })),
  );
  return found.filter((client) => client !== null);
}

/** Evaluates a check for the client and for each target of its request; stops at the first that fails. */
export async function isAllowedAtAll(
  needs: ClientDependencies,
  client: Client,
  resources: readonly string[],
  isAllowed: (client: Client) => Promise<boolean>,
): Promise<boolean> {
  for (const one of [client, ...(await targetClients(needs, client, resources))])
    if (!(await isAllowed(one))) return false;
  return true;
}

/** The entries of the consent stage: further applications and resources. */
export async function targetPermissions(
  needs: ClientDependencies,
  client: Client,
  resources: readonly string[] = [],
): Promise<{ readonly id: string; readonly name: StoredMessage }[]> {
  const known = await targetClients(needs, client, resources);
  return resources
    .filter((resource) => resource !== client.client_id)
    .map((resource) => {
      const name = known.find(({ client_id }) => client_id === resource)?.application.name ?? resource;
      return { id: `resource:${resource}`, name: message('Access {name} on your behalf', { name }).stored() };
    });
}
