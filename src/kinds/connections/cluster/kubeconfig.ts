import { asObject, type JsonObject } from '../../../lib/json.ts';
import type { TlsOptions } from '../../../platform/fetch/guarded-connect.ts';

/** How to reach the API server of a cluster. */
export interface ClusterAccess {
  readonly server: string;
  readonly tls: TlsOptions;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The cluster and user of the current context; null if there is none, or if a program has to be run for its
 * credentials. Files that the document names are ignored: they belong to the machine it was written for.
 */
export function readKubeconfig(kubeconfig: unknown): ClusterAccess | null {
  const config = asObject(kubeconfig);
  const context = named(config.contexts, config['current-context'], 'context');
  const cluster = context && named(config.clusters, context.cluster, 'cluster');
  const user = context && named(config.users, context.user, 'user');
  const server = textOf(cluster?.server);
  if (!cluster || !user || URL.parse(server)?.protocol !== 'https:') return null;
  if (user.exec || user['auth-provider']) return null;
  const ca = decoded(cluster['certificate-authority-data']);
  const cert = decoded(user['client-certificate-data']);
  const key = decoded(user['client-key-data']);
  const servername = textOf(cluster['tls-server-name']);
  return {
    server,
    tls: {
      ...(ca && { ca }),
      ...(cert && key && { cert, key }),
      ...(servername && { servername }),
      ...(cluster['insecure-skip-tls-verify'] === true && { rejectUnauthorized: false }),
    },
    headers: authorization(user),
  };
}

function authorization(user: JsonObject): Record<string, string> {
  const token = textOf(user.token);
  if (token) return { authorization: `Bearer ${token}` };
  const [username, password] = [textOf(user.username), textOf(user.password)];
  if (!username) return {};
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}

/** The element of a list of `{name, <member>}` that has this name. */
function named(list: unknown, name: unknown, member: string): JsonObject | null {
  if (!Array.isArray(list) || typeof name !== 'string') return null;
  const found = list.map(asObject).find((element) => element.name === name);
  return found && typeof found[member] === 'object' ? asObject(found[member]) : null;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const decoded = (value: unknown): string => Buffer.from(textOf(value), 'base64').toString();
