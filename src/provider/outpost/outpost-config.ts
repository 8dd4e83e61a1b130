import { isCidr } from '../../lib/cidr.ts';
import { parseDuration } from '../../lib/duration.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';

/** The settings of a new outpost. `publicUrl` is where it reaches this server. */
export const defaultOutpostConfig = (publicUrl: string): JsonObject => ({
  svc_host: publicUrl,
  svc_host_insecure: false,
  svc_host_browser: '',
  log_level: 'info',
  object_naming_template: 'xak-outpost-%(name)s',
  refresh_interval: 'minutes=5',
  keep_decisions: 'minutes=1',
  trusted_proxies: [],
  container_image: null,
  container_network: null,
  container_map_ports: true,
  container_labels: null,
  cluster_replicas: 1,
  cluster_namespace: 'default',
  cluster_ingress_annotations: {},
  cluster_ingress_secret_name: 'gatehouse-outpost-tls',
  cluster_ingress_class_name: null,
  cluster_service_type: 'ClusterIP',
  cluster_disabled_components: [],
  cluster_image_pull_secrets: [],
  cluster_json_patches: null,
});

const defaults = defaultOutpostConfig('');
/** The types of settings that may be null. */
const nullable: Readonly<Record<string, string>> = {
  container_image: 'string',
  container_network: 'string',
  container_labels: 'object',
  cluster_ingress_class_name: 'string',
  cluster_json_patches: 'object',
};

const typeOf = (value: unknown): string => {
  if (Array.isArray(value)) return 'array';
  return value === null ? 'null' : typeof value;
};

/** Unknown settings are accepted: outposts of other versions may have them. */
export function outpostConfigComplaint(config: unknown): string | null {
  if (!isJsonObject(config)) return 'Failed to validate config: it is not an object.';
  for (const [name, value] of Object.entries(config)) {
    if (!Object.hasOwn(defaults, name)) continue;
    const type = typeOf(value);
    const expected = nullable[name] ?? typeOf(defaults[name]);
    if (type !== expected && !(type === 'null' && name in nullable))
      return `Failed to validate config: wrong value type for field "${name}" - should be "${expected}" instead of "${type}".`;
  }
  const ranges = asStrings(config.trusted_proxies);
  if (Array.isArray(config.trusted_proxies) && (ranges.length < config.trusted_proxies.length || !ranges.every(isCidr)))
    return 'Failed to validate config: trusted_proxies is not a list of addresses or networks.';
  const { cluster_replicas: replicas = 1, refresh_interval } = config;
  if (!Number.isInteger(replicas) || Number(replicas) < 0 || Number(replicas) > maxReplicas)
    return `Failed to validate config: cluster_replicas is not a whole number from 0 to ${maxReplicas}.`;
  if (typeof refresh_interval === 'string' && parseDuration(refresh_interval) === null)
    return `Failed to validate config: ${refresh_interval} is not in the correct format of 'hours=3;minutes=1'.`;
  const kept = typeof config.keep_decisions === 'string' ? parseDuration(config.keep_decisions) : 0;
  if (kept === null || kept < 0 || kept > maxKeepMs)
    return 'Failed to validate config: keep_decisions is not a duration of at most hours=1.';
  return null;
}

/** The texts in a list of settings. */
export const asStrings = (value: Json | undefined): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];

const maxReplicas = 100;
const maxKeepMs = 3_600_000;
const usualKeepMs = 60_000;

/** How long a process honors earlier decisions while it cannot reach the server, in milliseconds. */
export function keepMs({ keep_decisions }: JsonObject): number {
  const milliseconds = typeof keep_decisions === 'string' ? parseDuration(keep_decisions) : null;
  return Math.min(maxKeepMs, Math.max(0, milliseconds ?? usualKeepMs));
}

const usualRefresh = 300;
const shortestRefresh = 30;

/** How often an outpost reads its settings again, in seconds. */
export function refreshSeconds({ refresh_interval }: JsonObject): number {
  const milliseconds = typeof refresh_interval === 'string' ? parseDuration(refresh_interval) : null;
  if (milliseconds === null || milliseconds <= 0) return usualRefresh;
  return Math.max(shortestRefresh, Math.round(milliseconds / 1000));
}
