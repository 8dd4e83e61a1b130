import { defineConnection } from '../../../core/outpost/service-connection.family.ts';
import { isJsonObject, type Json } from '../../../lib/json.ts';
import type { Complaints } from '../../../lib/problem.ts';
import { boolean } from '../../../resource/fields/scalar.ts';
import { secretJson } from '../../../resource/fields/secret.ts';
import type { CheckInput } from '../../../resource/resource.ts';
import { readKubeconfig } from './kubeconfig.ts';

/** A Kubernetes cluster: the one this server runs in, or that of a kubeconfig. */
export const clusterConnection = defineConnection({
  path: '/outposts/service_connections/cluster/',
  model: 'svc_outposts.clusterserviceconnection',
  schema: 'ClusterServiceConnection',
  names: ['Cluster Service-Connection', 'Cluster Service-Connections'],
  labels: ['Cluster service connection', 'Cluster service connections'],
  component: 'xak-service-connection-cluster-form',
  description: 'Reach a cluster from within, or by a kubeconfig.',
  table: 'connection_cluster',
  fields: {
    kubeconfig: secretJson({
      anyValue: true,
      default: () => ({}),
      help: 'A kubeconfig; its current context says which cluster is meant.',
    }),
    verify_ssl: boolean({ default: true, help: 'Whether the certificate of the cluster’s API must be trusted.' }),
  },
  check: (input) => localComplaint(input) ?? checkKubeconfig(input),
});

type Settings = { kubeconfig: Json; local: boolean; verify_ssl: boolean };

/** The account of the server itself may do there what the caller may not. */
function localComplaint({ call: { actor }, values, current }: CheckInput<Settings>): Complaints | null {
  if (!actor || actor.isSuperuser || !values.local) return null;
  if (current?.local && current.verify_ssl === values.verify_ssl) return null;
  return { local: ['Only superusers have the server use its own account in its cluster.'] };
}

function checkKubeconfig({ values, given, current }: CheckInput<Settings>): Complaints | null {
  if (current && !given.has('kubeconfig') && !given.has('local')) return null;
  if (isEmptyObject(values.kubeconfig)) {
    return values.local
      ? null
      : { kubeconfig: ['You can only use an empty kubeconfig when connecting to a local cluster.'] };
  }
  return readKubeconfig(values.kubeconfig) ? null : { kubeconfig: ['Invalid kubeconfig'] };
}

const isEmptyObject = (value: Json) => isJsonObject(value) && Object.keys(value).length === 0;
