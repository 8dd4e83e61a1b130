import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { grantOn } from '../support/grants.ts';
import { quiet } from '../support/jobs.ts';
import { made, unique } from '../support/make-walk.ts';
import { deployedOutpost } from '../support/platforms/deployed-outpost.ts';
import { startEngine, type TestEngine } from '../support/platforms/docker-engine.ts';
import { describeOnSqlite, newFolder } from '../support/server.ts';

const path = '/outposts/instances/';
const containers = '/outposts/service_connections/container/';
const use = 'svc_outposts.use_containerserviceconnection';
const rights = ['view', 'change', 'add'].map((verb) => `svc_outposts.${verb}_outpost`);
const seeing = ['svc_outposts.view_outpostserviceconnection', 'svc_core.view_provider'];

// The token of an outpost travels to the platform, and what runs there runs with the rights of the platform.
describeOnSqlite('rights on outposts that are deployed', (server) => {
  let engine: TestEngine;
  let connection: string;
  let outpost: Awaited<ReturnType<typeof deployedOutpost>>;
  beforeAll(async () => {
    engine = await startEngine({ socket: join(newFolder(), 'engine.sock') });
    engine.images.add('gatehouse:latest');
    connection = (await made(server(), containers, { name: unique('engine'), url: engine.origin })).pk;
    outpost = await deployedOutpost(server(), connection);
    await quiet(server());
    expect(engine.containers.size).toBe(1);
  });
  afterAll(() => engine.close());

  test('changing one takes the right to use its connection', async () => {
    const { api, pk } = await server().user([...rights, ...seeing]);
    const refused = await api.patch(`${path}${outpost.pk}/`, { config: { container_map_ports: false } });
    expect([refused.status, refused.body.required]).toEqual([403, use]);
    const removed = await api.patch(`${path}${outpost.pk}/`, { service_connection: null });
    expect([removed.status, removed.body.required]).toEqual([403, use]);
    const hidden = await (await server().user(rights)).api.patch(`${path}${outpost.pk}/`, { name: 'other' });
    expect([hidden.status, hidden.text.includes(use)]).toEqual([403, false]);
    await grantOn(server(), pk, use, connection);
    expect((await api.patch(`${path}${outpost.pk}/`, { config: { container_map_ports: false } })).status).toBe(200);
  });

  test('deleting one takes the right to use its connection', async () => {
    const own = await deployedOutpost(server(), connection);
    await quiet(server());
    const before = engine.containers.size;
    const { api, pk } = await server().user([...rights, ...seeing, 'svc_outposts.delete_outpost']);
    const refused = await api.delete(`${path}${own.pk}/`);
    expect([refused.status, refused.body?.required]).toEqual([403, use]);
    await quiet(server());
    expect(engine.containers.size).toBe(before);
    await grantOn(server(), pk, use, connection);
    expect((await api.delete(`${path}${own.pk}/`)).status).toBe(204);
    await quiet(server());
    expect(engine.containers.size).toBe(before - 1);
  });

  test('where the token travels and which code runs is for superusers, before it is deployed, too', async () => {
    const { api } = await server().user([...rights, ...seeing, use]);
    const own = await deployedOutpost(server(), null);
    for (const [name, value] of Object.entries({
      svc_host: 'https://evil.example',
      svc_host_insecure: true,
      trusted_proxies: ['0.0.0.0/0'],
      container_image: 'evil/image:1',
      container_network: 'host',
      container_labels: { 'ofelia.enabled': 'true' },
      cluster_namespace: 'kube-system',
      cluster_ingress_annotations: { 'nginx.ingress.kubernetes.io/server-snippet': 'return 200;' },
      cluster_json_patches: { deployment: [] },
    })) {
      for (const pk of [outpost.pk, own.pk]) {
        const { status, body } = await api.patch(`${path}${pk}/`, { config: { [name]: value } });
        expect([status, body]).toEqual([400, { config: [`Only superusers may change ${name}.`] }]);
      }
    }
    expect((await api.patch(`${path}${outpost.pk}/`, { config: { container_image: null } })).status).toBe(200);
    await quiet(server());
    expect([...engine.containers.values()].map(({ Config }) => Config.Image)).toEqual(['gatehouse:latest']);
  });

  test('a connection is chosen with the right to use it and to change the providers', async () => {
    const own = await deployedOutpost(server(), null);
    const body = { service_connection: connection };
    const unprovided = await server().user([...rights, ...seeing, use]);
    const refused = await unprovided.api.patch(`${path}${own.pk}/`, body);
    expect([refused.status, refused.body.required]).toEqual([403, 'svc_providers_proxy.change_proxyprovider']);
    const change = 'svc_providers_proxy.change_proxyprovider';
    const unused = await server().user([...rights, ...seeing, change]);
    expect((await unused.api.patch(`${path}${own.pk}/`, body)).body.required).toBe(use);
    const { api } = await server().user([...rights, ...seeing, change, use]);
    expect((await api.patch(`${path}${own.pk}/`, body)).status).toBe(200);
    expect((await server().admin.patch(`${path}${own.pk}/`, { service_connection: null })).status).toBe(200);
    await quiet(server());
  });

  test('a connection that outposts are deployed by leads elsewhere for superusers only', async () => {
    const { api } = await server().user(
      ['view', 'change'].map((verb) => `svc_outposts.${verb}_containerserviceconnection`),
    );
    const { status, body } = await api.patch(`${containers}${connection}/`, { url: 'https://evil.example:2376' });
    expect([status, body]).toEqual([
      400,
      { url: ['Outposts are deployed by this connection: only superusers may change where it leads.'] },
    ]);
    expect((await api.patch(`${containers}${connection}/`, { name: unique('engine') })).status).toBe(200);
    const free = await made(server(), containers, { name: unique('free'), url: 'https://engine.example:2376' });
    expect((await api.patch(`${containers}${free.pk}/`, { url: 'https://other.example:2376' })).status).toBe(200);
  });

  test('the account of the server in its own cluster is for superusers', async () => {
    const clusters = '/outposts/service_connections/cluster/';
    const verbs = ['view', 'add', 'change'].map((verb) => `svc_outposts.${verb}_clusterserviceconnection`);
    const { api } = await server().user(verbs);
    const complaint = { local: ['Only superusers have the server use its own account in its cluster.'] };
    expect(await api.post(clusters, { name: unique('own'), local: true })).toMatchObject({
      status: 400,
      body: complaint,
    });
    const { pk } = await made(server(), clusters, { name: unique('own'), local: true });
    expect(await api.patch(`${clusters}${pk}/`, { verify_ssl: false })).toMatchObject({ status: 400, body: complaint });
    expect((await api.patch(`${clusters}${pk}/`, { name: unique('own') })).status).toBe(200);
  });

  test('the embedded outpost is not deployed', async () => {
    const { body } = await server().admin.get(`${path}?managed=gatehouse/outposts/embedded`);
    const embedded = body.results.find(({ managed }: { managed: string | null }) => managed);
    const answer = await server().admin.patch(`${path}${embedded.pk}/`, { service_connection: connection });
    expect([answer.status, Object.keys(answer.body)]).toEqual([400, ['service_connection']]);
  });

  test('the addresses of engines are guarded as those of other outgoing calls', async () => {
    const inside = await made(server(), containers, { name: unique('inside'), url: 'tcp://169.254.169.254:2376' });
    const { pk } = await deployedOutpost(server(), inside.pk);
    await quiet(server());
    const { body } = await server().admin.get(`${path}${pk}/deployment/`);
    expect(body).toMatchObject({
      state: 'failed',
      message: expect.stringContaining('at an address that outgoing calls may not reach'),
    });
  });
});
