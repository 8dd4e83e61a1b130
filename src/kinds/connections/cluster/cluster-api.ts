import type { OpenFetch } from '../../../core/outpost/fetch-version.ts';
import { DeploymentError, type DeploymentWork } from '../../../core/outpost/platform.ts';
import { type CallPlatform, withPlatform } from '../../../core/outpost/platform-api.ts';
import { asObject, type JsonObject } from '../../../lib/json.ts';
import { findCluster } from './cluster-address.ts';

export const components = ['secret', 'deployment', 'service', 'ingress'] as const;
export type Component = (typeof components)[number];

export interface ComponentFacts {
  readonly apiVersion: string;
  readonly kind: string;
  readonly path: string;
  readonly plural: string;
}

export const componentFacts: Readonly<Record<Component, ComponentFacts>> = {
  secret: { apiVersion: 'v1', kind: 'Secret', path: 'api/v1', plural: 'secrets' },
  deployment: { apiVersion: 'apps/v1', kind: 'Deployment', path: 'apis/apps/v1', plural: 'deployments' },
  service: { apiVersion: 'v1', kind: 'Service', path: 'api/v1', plural: 'services' },
  ingress: {
    ...{ apiVersion: 'networking.k8s.io/v1', kind: 'Ingress' },
    ...{ path: 'apis/networking.k8s.io/v1', plural: 'ingresses' },
  },
};

/** Owns the members of objects that Gatehouse sets: others may set further ones. */
const fieldManager = 'gatehouse';

/** The operations of the Kubernetes API that deploying takes, in one namespace. */
export interface Cluster {
  list(component: Component, labelSelector: string): Promise<JsonObject[]>;
  get(component: Component, name: string): Promise<JsonObject | null>;
  /** Server-side apply. With `force`, members that others have set meanwhile are set again. */
  apply(component: Component, object: JsonObject, options: { force: boolean; secret: string }): Promise<JsonObject>;
  /** Deletes the very object that was read, not another of the same name. */
  remove(component: Component, object: JsonObject): Promise<void>;
}

export async function withCluster<T>(
  open: OpenFetch,
  { connection, call, signal }: DeploymentWork,
  namespace: string,
  work: (cluster: Cluster) => Promise<T>,
): Promise<T> {
  const address = await findCluster(connection, call);
  if (!address)
    throw new DeploymentError('The connection has no usable kubeconfig, or this server does not run in a cluster.');
  return withPlatform(open, address, signal, (send) => work(clusterBy(send, namespace)));
}

function clusterBy(send: CallPlatform, namespace: string): Cluster {
  const setOf = (component: Component) => {
    const { path, plural } = componentFacts[component];
    return `${path}/namespaces/${encodeURIComponent(namespace)}/${plural}`;
  };
  const oneOf = (component: Component, name: string) => `${setOf(component)}/${encodeURIComponent(name)}`;
  return {
    async list(component, labelSelector) {
      const query = { labelSelector };
      const { items } = asObject((await send({ method: 'GET', path: setOf(component), query, expect: [200] })).json());
      if (!Array.isArray(items)) throw new DeploymentError('The server does not respond like the Kubernetes API.');
      return items.map(asObject);
    },
    async get(component, name) {
      const answer = await send({ method: 'GET', path: oneOf(component, name), expect: [200, 404] });
      return answer.status === 404 ? null : asObject(answer.json());
    },
    async apply(component, object, { force, secret }) {
      const answer = await send({
        method: 'PATCH',
        path: oneOf(component, nameOf(object)),
        query: { fieldManager, ...(force && { force: 'true' }) },
        // JSON is YAML, too.
        contentType: 'application/apply-patch+yaml',
        body: object,
        secret,
        expect: [200, 201],
      });
      return asObject(answer.json());
    },
    async remove(component, object) {
      const { uid } = asObject(object.metadata);
      const body = {
        ...{ apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Background' },
        ...(typeof uid === 'string' && { preconditions: { uid } }),
      };
      const path = oneOf(component, nameOf(object));
      // 202: it is deleted once its finalizers have run.
      await send({ method: 'DELETE', path, body, expect: [200, 202, 404] });
    },
  };
}

export function nameOf(object: JsonObject): string {
  const { name } = asObject(object.metadata);
  if (typeof name === 'string' && /^[a-z0-9.-]{1,253}$/.test(name)) return name;
  throw new DeploymentError('The cluster has an object without a valid name.');
}
