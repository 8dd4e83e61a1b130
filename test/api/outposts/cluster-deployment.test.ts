import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { generateCertificate } from '../../../src/lib/certificate/generate-certificate.ts';
import { eventsDuring } from '../../support/events.ts';
import { quiet, runJob } from '../../support/jobs.ts';
import type { Document } from '../../support/json-server.ts';
import { made, unique } from '../../support/make-walk.ts';
import { tokenOf } from '../../support/outpost-process.ts';
import { deployedOutpost, deploymentOf, providerFor } from '../../support/platforms/deployed-outpost.ts';
import { startCluster, type TestCluster } from '../../support/platforms/kubernetes-api.ts';
import { describeOnSqlite } from '../../support/server.ts';

const path = '/outposts/instances/';
const clusterToken = 'the-token-of-the-cluster';

describeOnSqlite(
  'outposts deployed by a cluster connection',
  (server) => {
    let cluster: TestCluster;
    let pair: Awaited<ReturnType<typeof generateCertificate>>;
    let connection: string;
    const kubeconfig = (user: object = { token: clusterToken }) => ({
      'current-context': 'main',
      contexts: [{ name: 'main', context: { cluster: 'here', user: 'me' } }],
      clusters: [
        {
          name: 'here',
          cluster: {
            server: cluster.origin,
            'certificate-authority-data': Buffer.from(pair.certificate).toString('base64'),
          },
        },
      ],
      users: [{ name: 'me', user }],
    });
    beforeAll(async () => {
      const request = { commonName: 'cluster', validityDays: 1, algorithm: 'ecdsa', subjectAltNames: ['127.0.0.1'] };
      pair = await generateCertificate(request as Parameters<typeof generateCertificate>[0]);
      cluster = await startCluster({ cert: pair.certificate, key: pair.key }, clusterToken);
      const body = { name: unique('cluster'), kubeconfig: kubeconfig() };
      connection = (await made(server(), '/outposts/service_connections/cluster/', body)).pk;
    });
    beforeEach(() => {
      cluster.fault = () => null;
      cluster.changes();
    });
    afterAll(async () => {
      await cluster.close();
      expect(cluster.violations).toEqual([]);
    });
    const deploy = async (more: Parameters<typeof deployedOutpost>[2] = {}) => {
      const outpost = await deployedOutpost(server(), connection, more);
      await quiet(server());
      return { ...outpost, object: `xak-outpost-${outpost.name.toLowerCase()}` };
    };
    const patch = async (pk: string, body: object) => {
      cluster.changes();
      const answer = await server().admin.patch(`${path}${pk}/`, body);
      expect(answer.status).toBe(200);
      await quiet(server());
    };
    const get = (plural: string, name: string, namespace = 'default'): Document =>
      cluster.objects.get(`${namespace}/${plural}/${name}`);

    test('run as a deployment with a secret, a service and an ingress', async () => {
      const { object, ...outpost } = await deploy({
        config: { cluster_replicas: 2, cluster_ingress_class_name: 'nginx', cluster_image_pull_secrets: ['registry'] },
      });
      expect(cluster.changes()).toEqual([
        ...[`secrets/${object}-api`, `deployments/${object}`, `services/${object}`, `ingresses/${object}`].map(
          (one) => `PATCH default/${one}`,
        ),
      ]);
      const token = await tokenOf(server(), outpost.token_identifier);
      expect(Buffer.from(get('secrets', `${object}-api`).data.token, 'base64').toString()).toBe(token);
      const { spec } = get('deployments', object);
      expect(spec.replicas).toBe(2);
      const pod = spec.template.spec;
      expect(pod).toMatchObject({
        ...{ enableServiceLinks: false, automountServiceAccountToken: false },
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
        imagePullSecrets: [{ name: 'registry' }],
      });
      expect(pod.containers[0]).toMatchObject({
        image: 'registry.example.com/gatehouse:1',
        args: ['outpost', '--server', server().world.config.publicUrl],
        securityContext: {
          ...{ readOnlyRootFilesystem: true, allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
        },
      });
      // The token is in the secret alone.
      const others = ['deployments', 'services', 'ingresses'].map((plural) => get(plural, object));
      expect(JSON.stringify(others)).not.toContain(token);
      expect(get('services', object).spec).toMatchObject({
        type: 'ClusterIP',
        selector: { 'gatehouse/outpost': outpost.pk },
        ports: [{ name: 'http', port: 9000, targetPort: 9000, protocol: 'TCP' }],
      });
      const { hostname } = new URL(outpost.provider.external_host);
      const backend = { service: { name: object, port: { name: 'http' } } };
      expect(get('ingresses', object).spec).toEqual({
        ingressClassName: 'nginx',
        rules: [{ host: hostname, http: { paths: [{ path: '/outpost.gatehouse', pathType: 'Prefix', backend }] } }],
        tls: [{ hosts: [hostname], secretName: 'gatehouse-outpost-tls' }],
      });
      expect(await deploymentOf(server(), outpost.pk)).toMatchObject({
        state: 'deployed',
        place: 'default',
        message: '1 of 2 pods are ready.',
      });
    });

    test.each([
      [
        'ldap',
        [
          ['ldap', 389, 3389, 'TCP'],
          ['ldaps', 636, 6636, 'TCP'],
        ],
      ],
      ['radius', [['radius', 1812, 1812, 'UDP']]],
    ] as const)('have the ports of their type, and no ingress: %s', async (type, ports) => {
      const { object } = await deploy({ type, config: { cluster_service_type: 'LoadBalancer' } });
      expect(get('services', object).spec).toMatchObject({
        type: 'LoadBalancer',
        ports: ports.map(([name, port, targetPort, protocol]) => ({ name, port, targetPort, protocol })),
      });
      expect(get('ingresses', object)).toBeUndefined();
    });

    test('follow their providers: hosts come and go', async () => {
      const { object, ...outpost } = await deploy();
      const host = `https://${unique('proxied')}.example.com`;
      const more = { mode: 'proxy', external_host: host, internal_host: 'http://10.0.0.5' };
      const second = await providerFor(server(), 'proxy', more);
      await patch(outpost.pk, { providers: [outpost.provider.pk, second.pk] });
      const hosts = () => get('ingresses', object).spec.rules.map((rule: Document) => rule.host);
      const { hostname } = new URL(host);
      expect(hosts()).toContain(hostname);
      const rule = get('ingresses', object).spec.rules.find((one: Document) => one.host === hostname);
      expect(rule.http.paths[0].path).toBe('/');
      await server().admin.patch(`/providers/proxy/${second.pk}/`, { external_host: `http://other-${hostname}` });
      await quiet(server());
      expect(hosts()).toContain(`other-${hostname}`);
      expect(get('ingresses', object).spec.tls[0].hosts).not.toContain(`other-${hostname}`);
      for (const { pk } of [second, outpost.provider])
        await server().admin.patch(`/providers/proxy/${pk}/`, { external_host: `http://127.0.0.${pk % 250}:8000` });
      await quiet(server());
      expect(get('ingresses', object)).toBeUndefined();
    });

    test('start other pods with another token', async () => {
      const { object, ...outpost } = await deploy();
      const annotation = () => get('deployments', object).spec.template.metadata.annotations['gatehouse/token'];
      const before = annotation();
      await server().admin.post(`/core/tokens/${outpost.token_identifier}/set_key/`, { key: 'k'.repeat(60) });
      await quiet(server());
      expect(Buffer.from(get('secrets', `${object}-api`).data.token, 'base64').toString()).toBe('k'.repeat(60));
      expect(annotation()).not.toBe(before);
    });

    test('what others changed is set again, and what others made is left alone', async () => {
      const { object, ...outpost } = await deploy();
      get('deployments', object).spec.template.spec.containers[0].image = 'evil';
      get('deployments', object).manager = 'kubectl';
      cluster.objects.delete(`default/services/${object}`);
      await patch(outpost.pk, {});
      expect(get('deployments', object).spec.template.spec.containers[0].image).toBe(
        'registry.example.com/gatehouse:1',
      );
      expect(get('services', object)).toBeDefined();
      for (const plural of ['secrets', 'deployments', 'services', 'ingresses']) {
        const name = unique('taken');
        const key = `default/${plural}/xak-outpost-${name}${plural === 'secrets' ? '-api' : ''}`;
        const foreign = { metadata: { name: key.split('/')[2], uid: 'other', labels: { app: 'other' } }, spec: {} };
        cluster.objects.set(key, structuredClone(foreign));
        cluster.changes();
        const events = await eventsDuring(server(), () => deploy({ name }));
        expect([plural, cluster.changes(), cluster.objects.get(key)]).toEqual([plural, [], foreign]);
        const failure = events.find(({ action }) => action === 'configuration_error');
        expect(failure?.context.message).toContain('already, which this outpost did not create.');
        const { body } = await server().admin.get(`${path}?name__iexact=${name}`);
        await server().admin.delete(`${path}${body.results[0].pk}/`);
        await quiet(server());
        expect(cluster.objects.get(key)).toEqual(foreign);
        cluster.objects.delete(key);
      }
    });

    test('are moved and removed', async () => {
      const { object, ...outpost } = await deploy();
      const name = unique('renamed');
      await patch(outpost.pk, { name });
      expect([...cluster.objects.keys()].filter((key) => key.includes(object))).toEqual([]);
      expect(get('deployments', `xak-outpost-${name}`)).toBeDefined();
      await patch(outpost.pk, { config: { cluster_namespace: 'edge' } });
      const own = () =>
        [...cluster.objects].filter(([, { metadata }]) => metadata.labels['gatehouse/outpost'] === outpost.pk);
      expect(own().map(([key]) => key.split('/').slice(0, 2).join('/'))).toEqual([
        ...['edge/secrets', 'edge/deployments', 'edge/services', 'edge/ingresses'],
      ]);
      expect(await deploymentOf(server(), outpost.pk)).toMatchObject({ place: 'edge', state: 'deployed' });
      cluster.fault = ({ method }) => (method === 'DELETE' ? { status: 403, body: { message: 'forbidden' } } : null);
      expect((await server().admin.delete(`${path}${outpost.pk}/`)).status).toBe(204);
      await quiet(server());
      expect(own()).toHaveLength(4);
      cluster.fault = () => null;
      await runJob(server(), 'deploy_outposts');
      await quiet(server());
      expect(own()).toEqual([]);
    });

    test('leave out components and apply patches, but never lose their mark', async () => {
      const { object, ...outpost } = await deploy({
        config: {
          cluster_disabled_components: ['ingress', 'service'],
          cluster_json_patches: {
            deployment: [
              { op: 'add', path: '/spec/template/spec/nodeSelector', value: { zone: 'edge' } },
              { op: 'remove', path: '/metadata/labels' },
              { op: 'replace', path: '/metadata/name', value: 'other' },
            ],
          },
        },
      });
      const { metadata, spec } = get('deployments', object);
      expect([metadata.labels['gatehouse/outpost'], spec.template.spec.nodeSelector]).toEqual([
        outpost.pk,
        { zone: 'edge' },
      ]);
      expect([get('services', object), get('ingresses', object)]).toEqual([undefined, undefined]);
      await patch(outpost.pk, {
        config: { cluster_json_patches: { deployment: [{ op: 'remove', path: '/spec/none' }] } },
      });
      expect(await deploymentOf(server(), outpost.pk)).toMatchObject({
        state: 'failed',
        message:
          'cluster_json_patches, deployment: Operation 1 of the JSON patch cannot be applied: there is no value at the path',
      });
      expect(cluster.changes()).toEqual([]);
    });

    test('state what the cluster refuses, without the token', async () => {
      const { object, ...outpost } = await deploy();
      const sealed = get('secrets', `${object}-api`).data.token;
      cluster.fault = ({ method, segments }) =>
        method === 'PATCH' && segments.includes('secrets')
          ? { status: 422, body: { message: `data.token: Invalid value: "${sealed}"` } }
          : null;
      await patch(outpost.pk, {});
      const failed = await deploymentOf(server(), outpost.pk);
      expect(failed).toMatchObject({ state: 'failed', message: expect.stringContaining('Invalid value: "***"') });
      for (const fault of [{ status: 401, body: {} }, { status: 200, body: [] }, 'cut'] as const) {
        cluster.fault = () => fault;
        await patch(outpost.pk, {});
        expect((await deploymentOf(server(), outpost.pk)).state).toBe('failed');
      }
      const labels = { 'gatehouse/outpost': outpost.pk };
      for (const name of ['\ud800', '', '../pods']) {
        cluster.fault = ({ method, query }) =>
          method === 'GET' && query.has('labelSelector')
            ? { status: 200, body: { items: [{ metadata: { name, labels } }] } }
            : null;
        await patch(outpost.pk, {});
        expect((await deploymentOf(server(), outpost.pk)).message).toBe(
          'The cluster has an object without a valid name.',
        );
      }
      cluster.fault = () => null;
      await patch(outpost.pk, {});
      expect((await deploymentOf(server(), outpost.pk)).state).toBe('deployed');
    });

    test('programs of a kubeconfig are not run', async () => {
      for (const user of [
        { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'sh' } },
        { token: clusterToken, exec: { command: 'sh' } },
        { 'auth-provider': { name: 'gcp' } },
      ]) {
        const body = { name: unique('program'), kubeconfig: kubeconfig(user) };
        const answer = await server().admin.post('/outposts/service_connections/cluster/', body);
        expect([answer.status, answer.body]).toEqual([400, { kubeconfig: ['Invalid kubeconfig'] }]);
      }
    });
  },
  { env: { GATEHOUSE_OUTPOST_IMAGE: 'registry.example.com/gatehouse:1', GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.0/8' } },
);
