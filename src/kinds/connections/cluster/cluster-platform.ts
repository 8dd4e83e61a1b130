import { readFile } from 'node:fs/promises';
import type { OpenFetch } from '../../../core/outpost/fetch-version.ts';
import { DeploymentError, type OutpostToDeploy, type Platform } from '../../../core/outpost/platform.ts';
import { asObject, type JsonObject } from '../../../lib/json.ts';
import { withArticle } from '../../../lib/nouns.ts';
import { type Cluster, type Component, componentFacts, components, nameOf, withCluster } from './cluster-api.ts';
import { disabledComponents, manifestsOf, outpostLabel } from './manifests.ts';

/** Runs each outpost as a Deployment with a Secret, a Service and, for its hosts, an Ingress. */
export const clusterPlatform = (open: OpenFetch): Platform => ({
  placeOf: ({ cluster_namespace: namespace }) => (typeof namespace === 'string' ? namespace : ''),
  async deploy(outpost, work) {
    const namespace = await namespaceOf(outpost.config.cluster_namespace);
    return withCluster(open, work, namespace, (cluster) => deploy(cluster, outpost, namespace));
  },
  async remove(outpost, place, work) {
    await withCluster(open, work, await namespaceOf(place), async (cluster) => {
      for (const component of components) {
        for (const object of await ownObjects(cluster, component, outpost)) await cluster.remove(component, object);
      }
    });
  },
});

const namespaceFile = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';

/** Without one, the namespace that this server runs in. */
async function namespaceOf(name: unknown): Promise<string> {
  if (typeof name === 'string' && name !== '') return name;
  return (await readFile(namespaceFile, 'utf8').catch(() => '')).trim() || 'default';
}

async function deploy(cluster: Cluster, outpost: OutpostToDeploy, namespace: string): Promise<string> {
  const manifests = manifestsOf(outpost, namespace);
  const disabled = disabledComponents(outpost.config);
  // Before anything changes.
  const existing = new Map<Component, boolean>();
  for (const [component, manifest] of manifests) existing.set(component, await isOwn(cluster, component, manifest));
  for (const component of components.filter((one) => !disabled.includes(one))) {
    const manifest = manifests.get(component);
    const obsolete = (await ownObjects(cluster, component, outpost.pk)).filter(
      (object) => !manifest || nameOf(object) !== nameOf(manifest),
    );
    for (const object of obsolete) await cluster.remove(component, object);
  }
  let state = 'The objects were applied.';
  for (const [component, manifest] of manifests) {
    const force = existing.get(component) === true;
    const secret = asObject(manifest.data).token;
    const applied = await cluster.apply(component, manifest, {
      force,
      secret: typeof secret === 'string' ? secret : outpost.token,
    });
    if (component === 'deployment') state = stateOf(applied);
  }
  return state;
}

/** Whether the object exists already. Throws if it does and is not one of the outpost. */
async function isOwn(cluster: Cluster, component: Component, manifest: JsonObject): Promise<boolean> {
  const found = await cluster.get(component, nameOf(manifest));
  if (!found) return false;
  if (outpostOf(found) === outpostOf(manifest)) return true;
  const { kind } = componentFacts[component];
  throw new DeploymentError(
    `There is ${withArticle(kind)} named ${nameOf(manifest)} already, which this outpost did not create.`,
  );
}

async function ownObjects(cluster: Cluster, component: Component, outpost: string): Promise<JsonObject[]> {
  const found = await cluster.list(component, `${outpostLabel}=${outpost}`);
  return found.filter((object) => outpostOf(object) === outpost);
}

const outpostOf = ({ metadata }: JsonObject) => asObject(asObject(metadata).labels)[outpostLabel];

function stateOf({ spec, status }: JsonObject): string {
  const [ready, wanted] = [asObject(status).readyReplicas ?? 0, asObject(spec).replicas ?? 1];
  return `${ready} of ${wanted} pods are ready.`;
}
