import {
  type ApiDescription,
  boolean,
  closed,
  type DescribedOperation,
  integer,
  listOf,
  mapOf,
  oneOf,
  refTo,
  text,
} from './api-description.ts';

const subdomain = {
  type: 'string',
  maxLength: 253,
  pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$',
};
const label = { type: 'string', maxLength: 63, pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$' };
/** Names of services (RFC 1035). */
const serviceName = { type: 'string', maxLength: 63, pattern: '^[a-z]([-a-z0-9]*[a-z0-9])?$' };
const portName = { type: 'string', maxLength: 15, pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$' };
const port = { type: 'integer', minimum: 1, maximum: 65535 };
const labels = {
  type: 'object',
  propertyNames: { pattern: '^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$' },
  additionalProperties: { type: 'string', maxLength: 63, pattern: '^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$' },
};
const protocol = oneOf('TCP', 'UDP', 'SCTP');

const metadata = (name: object) =>
  closed({ name: { ...name }, namespace: label, labels, annotations: mapOf(text) }, ['name']);
const object = (apiVersion: string, kind: string, name: object, rest: Parameters<typeof closed>[0]) =>
  closed({ apiVersion: { const: apiVersion }, kind: { const: kind }, metadata: metadata(name), ...rest }, [
    ...['apiVersion', 'kind', 'metadata'],
  ]);

const collections = {
  'api/v1/namespaces/{namespace}/secrets': 'Secret',
  'apis/apps/v1/namespaces/{namespace}/deployments': 'Deployment',
  'api/v1/namespaces/{namespace}/services': 'Service',
  'apis/networking.k8s.io/v1/namespaces/{namespace}/ingresses': 'Ingress',
};

const operationsOn = ([path, kind]: [string, string]): [string, DescribedOperation][] => [
  [
    `GET /${path}`,
    { query: { labelSelector: text, fieldSelector: text, limit: text, continue: text }, statuses: [200, 401, 403] },
  ],
  [`GET /${path}/{name}`, { statuses: [200, 401, 403, 404] }],
  [
    `PATCH /${path}/{name}`,
    {
      query: { fieldManager: text, force: oneOf('true', 'false'), dryRun: oneOf('All'), fieldValidation: text },
      // Of the API: required for apply requests.
      requiredQuery: ['fieldManager'],
      body: refTo(kind),
      contentTypes: ['application/apply-patch+yaml'],
      statuses: [200, 201, 401, 403, 409, 422],
    },
  ],
  [`DELETE /${path}/{name}`, { body: refTo('DeleteOptions'), statuses: [200, 202, 401, 403, 404, 409] }],
];

/** A part of the OpenAPI description of Kubernetes, version 1.34. */
export const kubernetesDescription: ApiDescription = {
  operations: {
    'GET /version': { statuses: [200, 401] },
    ...Object.fromEntries(Object.entries(collections).flatMap(operationsOn)),
  },
  definitions: {
    DeleteOptions: closed({
      ...{ apiVersion: { const: 'v1' }, kind: { const: 'DeleteOptions' }, gracePeriodSeconds: integer },
      preconditions: closed({ uid: text, resourceVersion: text }),
      propagationPolicy: oneOf('Orphan', 'Background', 'Foreground'),
    }),
    Secret: object('v1', 'Secret', subdomain, {
      type: text,
      data: mapOf({ type: 'string', pattern: '^[A-Za-z0-9+/]*={0,2}$' }),
      stringData: mapOf(text),
      immutable: boolean,
    }),
    Deployment: object('apps/v1', 'Deployment', subdomain, {
      spec: closed(
        {
          replicas: { type: 'integer', minimum: 0 },
          selector: closed({ matchLabels: labels }),
          template: closed({ metadata: closed({ labels, annotations: mapOf(text) }), spec: refTo('PodSpec') }),
          ...{ minReadySeconds: integer, revisionHistoryLimit: integer, paused: boolean },
        },
        ['selector', 'template'],
      ),
    }),
    PodSpec: closed(
      {
        containers: listOf(refTo('Container')),
        volumes: listOf(
          closed(
            {
              name: label,
              emptyDir: closed({ medium: text, sizeLimit: { type: 'string', pattern: '^\\d+(Ki|Mi|Gi)?$' } }),
            },
            ['name'],
          ),
        ),
        ...{ enableServiceLinks: boolean, automountServiceAccountToken: boolean, hostNetwork: boolean },
        ...{ nodeSelector: mapOf(text), serviceAccountName: text },
        securityContext: closed({
          ...{ runAsNonRoot: boolean, runAsUser: integer, runAsGroup: integer, fsGroup: integer },
          seccompProfile: closed({ type: oneOf('Localhost', 'RuntimeDefault', 'Unconfined'), localhostProfile: text }, [
            'type',
          ]),
        }),
        imagePullSecrets: listOf(closed({ name: text })),
      },
      ['containers'],
    ),
    Container: closed(
      {
        ...{ name: label, image: text, args: listOf(text), command: listOf(text) },
        env: listOf(
          closed(
            {
              name: text,
              value: text,
              valueFrom: closed({ secretKeyRef: closed({ name: text, key: text, optional: boolean }, ['key']) }),
            },
            ['name'],
          ),
        ),
        ports: listOf(closed({ name: portName, containerPort: port, protocol }, ['containerPort'])),
        ...{ livenessProbe: refTo('Probe'), readinessProbe: refTo('Probe'), startupProbe: refTo('Probe') },
        securityContext: closed({
          ...{ allowPrivilegeEscalation: boolean, readOnlyRootFilesystem: boolean, privileged: boolean },
          capabilities: closed({ add: listOf(text), drop: listOf(text) }),
        }),
        volumeMounts: listOf(closed({ name: text, mountPath: text, readOnly: boolean }, ['name', 'mountPath'])),
      },
      ['name'],
    ),
    Probe: closed({
      httpGet: closed({ path: text, port, scheme: oneOf('HTTP', 'HTTPS') }, ['port']),
      ...{ initialDelaySeconds: integer, periodSeconds: integer, timeoutSeconds: integer, failureThreshold: integer },
    }),
    Service: object('v1', 'Service', serviceName, {
      spec: closed({
        type: oneOf('ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName'),
        selector: labels,
        ports: listOf(closed({ name: portName, port, targetPort: port, protocol, nodePort: port }, ['port'])),
        externalTrafficPolicy: oneOf('Cluster', 'Local'),
      }),
    }),
    Ingress: object('networking.k8s.io/v1', 'Ingress', subdomain, {
      spec: closed({
        ingressClassName: text,
        rules: listOf(
          closed({
            host: { ...subdomain, type: 'string' },
            http: closed(
              {
                paths: listOf(
                  closed(
                    {
                      path: { type: 'string', pattern: '^/' },
                      pathType: oneOf('Exact', 'Prefix', 'ImplementationSpecific'),
                      backend: closed({
                        service: closed({ name: text, port: closed({ name: text, number: port }) }, ['name']),
                      }),
                    },
                    ['pathType', 'backend'],
                  ),
                ),
              },
              ['paths'],
            ),
          }),
        ),
        tls: listOf(closed({ hosts: listOf(subdomain), secretName: text })),
      }),
    }),
  },
};
