import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { DeploymentError, httpPort, type OutpostToDeploy } from '../../../core/outpost/platform.ts';
import { asObject, type Json, type JsonObject } from '../../../lib/json.ts';
import { applyJsonPatch } from '../../../lib/json-patch.ts';
import { type Component, componentFacts, components } from './cluster-api.ts';

/** Marks the objects of an outpost: the only ones that are ever changed or deleted. */
export const outpostLabel = 'gatehouse/outpost';

/** The objects that run an outpost in a namespace, by what they are; without those that its settings turn off. */
export function manifestsOf(outpost: OutpostToDeploy, namespace: string): Map<Component, JsonObject> {
  const { pk, name, config } = outpost;
  const labels = {
    'app.kubernetes.io/name': 'gatehouse-outpost',
    'app.kubernetes.io/instance': name,
    'app.kubernetes.io/managed-by': 'gatehouse',
    [outpostLabel]: pk,
  };
  const patches = asObject(config.cluster_json_patches);
  const bodies: Record<Component, JsonObject | null> = {
    secret: { type: 'Opaque', data: { token: Buffer.from(outpost.token).toString('base64') } },
    deployment: { spec: deploymentSpec(outpost, labels) },
    service: { spec: serviceSpec(outpost) },
    ingress: ingressBody(outpost),
  };
  const disabled = new Set(disabledComponents(config));
  const manifests = new Map<Component, JsonObject>();
  for (const component of components) {
    const body = bodies[component];
    if (!body || disabled.has(component)) continue;
    const { apiVersion, kind } = componentFacts[component];
    const { metadata = {}, ...rest } = body;
    const identity = { name: component === 'secret' ? secretName(name) : name, namespace };
    const object = { apiVersion, kind, metadata: { ...identity, labels, ...asObject(metadata) }, ...rest };
    const patched = patch(object, patches[component], component);
    // Without its name and label it would be lost.
    const own = asObject(patched.metadata);
    const kept = { ...own, ...identity, labels: { ...asObject(own.labels), ...labels } };
    manifests.set(component, { ...patched, apiVersion, kind, metadata: kept });
  }
  return manifests;
}

/** What the settings leave to others, so that it is neither created nor deleted here. */
export const disabledComponents = ({ cluster_disabled_components: disabled }: JsonObject): Json[] =>
  Array.isArray(disabled) ? [...disabled] : [];

const secretName = (name: string) => `${name}-api`;

function patch(object: JsonObject, operations: Json | undefined, component: Component): JsonObject {
  if (operations === undefined || operations === null) return object;
  try {
    return asObject(applyJsonPatch(object, operations));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new DeploymentError(`cluster_json_patches, ${component}: ${error.message}`);
  }
}

/** Never changes for an outpost: the selector of a Deployment is immutable. */
const selectorOf = ({ pk }: OutpostToDeploy): JsonObject => ({ [outpostLabel]: pk });

function deploymentSpec(outpost: OutpostToDeploy, labels: JsonObject): JsonObject {
  const { name, image, args, env, token, ports, config } = outpost;
  const pullSecrets = Array.isArray(config.cluster_image_pull_secrets) ? config.cluster_image_pull_secrets : [];
  const probe = (path: string) => ({ httpGet: { path, port: httpPort }, periodSeconds: 10 });
  const container = {
    name: 'outpost',
    image,
    args: [...args],
    env: [
      ...Object.entries(env).map(([key, value]) => ({ name: key, value })),
      { name: 'GATEHOUSE_TOKEN', valueFrom: { secretKeyRef: { name: secretName(name), key: 'token' } } },
    ],
    ports: ports.map(({ name: port, port: containerPort, protocol }) => ({
      ...{ name: port, containerPort, protocol: protocol.toUpperCase() },
    })),
    livenessProbe: { ...probe('/-/health/live/'), initialDelaySeconds: 10 },
    readinessProbe: probe('/-/health/ready/'),
    securityContext: {
      ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
    },
    volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
  };
  return {
    replicas: typeof config.cluster_replicas === 'number' ? config.cluster_replicas : 1,
    selector: { matchLabels: selectorOf(outpost) },
    template: {
      metadata: {
        labels,
        // The environment is read when a container starts, so another token has to start another.
        annotations: { 'gatehouse/token': createHash('sha256').update(token).digest('hex').slice(0, 32) },
      },
      spec: {
        containers: [container],
        volumes: [{ name: 'tmp', emptyDir: { sizeLimit: '64Mi' } }],
        // A service called `gatehouse` would set variables that look like settings.
        enableServiceLinks: false,
        automountServiceAccountToken: false,
        // The user of the image.
        securityContext: { runAsNonRoot: true, runAsUser: 10001, seccompProfile: { type: 'RuntimeDefault' } },
        ...(pullSecrets.length > 0 && { imagePullSecrets: pullSecrets.map((one) => ({ name: String(one) })) }),
      },
    },
  };
}

const serviceSpec = (outpost: OutpostToDeploy): JsonObject => ({
  type: typeof outpost.config.cluster_service_type === 'string' ? outpost.config.cluster_service_type : 'ClusterIP',
  selector: selectorOf(outpost),
  ports: outpost.ports.map(({ name, published, port, protocol }) => ({
    ...{ name, port: published, targetPort: port, protocol: protocol.toUpperCase() },
  })),
});

/** A rule for each host that browsers open; null if there are none. */
function ingressBody({ name, hosts, ports, config }: OutpostToDeploy): JsonObject | null {
  const port = ports.find((one) => one.port === httpPort);
  // An Ingress has names for hosts, not addresses.
  const named = hosts.filter(({ host }) => isIP(host.replace(/^\[(.*)\]$/, '$1')) === 0);
  if (!port || named.length === 0) return null;
  const backend = { service: { name, port: { name: port.name } } };
  const secure = named.filter(({ isSecure }) => isSecure).map(({ host }) => host);
  const { cluster_ingress_class_name: className, cluster_ingress_secret_name: secretName } = config;
  return {
    metadata: { annotations: asObject(config.cluster_ingress_annotations) },
    spec: {
      ...(typeof className === 'string' && className !== '' && { ingressClassName: className }),
      rules: named.map(({ host, path }) => ({ host, http: { paths: [{ path, pathType: 'Prefix', backend }] } })),
      ...(secure.length > 0 &&
        typeof secretName === 'string' &&
        secretName !== '' && { tls: [{ hosts: [...new Set(secure)], secretName }] }),
    },
  };
}
