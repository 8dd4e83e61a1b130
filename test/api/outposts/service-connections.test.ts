import { expect, test } from 'vitest';
import { describeOnBoth, describeOnSqlite } from '../../support/server.ts';

const container = '/outposts/service_connections/container/';
const cluster = '/outposts/service_connections/cluster/';
const all = '/outposts/service_connections/all/';
const names = (answer: { body: { results: { name: string }[] } }) => answer.body.results.map(({ name }) => name);

const kubeconfig = {
  'current-context': 'main',
  contexts: [{ name: 'main', context: { cluster: 'here', user: 'me' } }],
  clusters: [{ name: 'here', cluster: { server: 'https://192.0.2.1:6443' } }],
  users: [{ name: 'me', user: { token: 'the-secret-token-of-the-cluster' } }],
};

describeOnBoth('container service connections', (server) => {
  test('a new one has the defaults, and shows all its members', async () => {
    const { status, body } = await server().admin.post(container, { name: 'plain', url: 'unix:///run/engine.sock' });
    expect(status).toBe(201);
    expect(body).toEqual({
      pk: body.pk,
      name: 'plain',
      local: false,
      component: 'xak-service-connection-container-form',
      verbose_name: 'Container Service-Connection',
      verbose_name_plural: 'Container Service-Connections',
      meta_model_name: 'svc_outposts.containerserviceconnection',
      url: 'unix:///run/engine.sock',
      tls_verification: null,
      tls_authentication: null,
    });
    expect((await server().admin.get(`${container}${body.pk}/`)).body).toEqual(body);
  });

  test('the list filters, searches and orders', async () => {
    const { admin } = server();
    const pair = await admin.post('/crypto/certificatekeypairs/generate/', {
      common_name: `authority ${Math.random()}`,
      validity_days: 1,
      alg: 'ecdsa',
    });
    const local = { name: 'list-a', url: 'unix:///a', local: true };
    const remote = { name: 'list-b', url: 'https://b.example:2376', tls_verification: pair.body.pk };
    for (const body of [local, remote]) expect((await admin.post(container, body)).status).toBe(201);
    expect(names(await admin.get(`${container}?search=list-`))).toEqual(['list-a', 'list-b']);
    expect(names(await admin.get(`${container}?search=list-&ordering=-url`))).toEqual(['list-a', 'list-b']);
    expect(names(await admin.get(`${container}?search=list-&ordering=-name`))).toEqual(['list-b', 'list-a']);
    expect(names(await admin.get(`${container}?search=list-&local=true`))).toEqual(['list-a']);
    expect((await admin.get(`${container}?local=perhaps`)).status).toBe(400);
    expect(names(await admin.get(`${container}?name=list-b`))).toEqual(['list-b']);
    expect(names(await admin.get(`${container}?url=https://b.example:2376`))).toEqual(['list-b']);
    expect(names(await admin.get(`${container}?tls_verification=${pair.body.pk}`))).toEqual(['list-b']);
    expect(names(await admin.get(`${container}?tls_verification=${pair.body.pk}&local=1`))).toEqual([]);
    const paged = await admin.get(`${container}?search=list-&page_size=1&page=2`);
    expect(paged.body.pagination).toEqual({
      next: 0,
      previous: 1,
      count: 2,
      current: 2,
      total_pages: 2,
      start_index: 2,
      end_index: 2,
    });
  });

  test('an invalid filter value is refused', async () => {
    const unknown = crypto.randomUUID();
    const complaints = {
      [`tls_authentication=${unknown}`]: {
        tls_authentication: ['Select a valid choice. That choice is not one of the available choices.'],
      },
      'tls_verification=xyz': { tls_verification: ['“xyz” is not a valid UUID.'] },
    };
    for (const [query, complaint] of Object.entries(complaints)) {
      const { status, body } = await server().admin.get(`${container}?${query}`);
      expect([status, body]).toEqual([400, complaint]);
    }
  });

  test('bad bodies are refused with every complaint', async () => {
    const { admin } = server();
    await admin.post(cluster, { name: 'taken by a cluster', local: true });
    const refusals: [Record<string, unknown>, Record<string, unknown>][] = [
      [{}, { name: ['This field is required.'], url: ['This field is required.'] }],
      [
        { name: '', url: ' ' },
        { name: ['This field may not be blank.'], url: ['This field may not be blank.'] },
      ],
      [
        { name: 'taken by a cluster', url: 'x' },
        { name: ['Outpost Service-Connection with this name already exists.'] },
      ],
      [{ name: 'n', url: 'x', local: 'maybe' }, { local: ['Must be a valid boolean.'] }],
      [
        { name: 'n', url: 'x', tls_authentication: '00000000-0000-0000-0000-000000000000' },
        {
          tls_authentication: ['Invalid pk "00000000-0000-0000-0000-000000000000" - object does not exist.'],
        },
      ],
    ];
    for (const [body, complaints] of refusals) {
      const answer = await admin.post(container, body);
      expect([answer.status, answer.body]).toEqual([400, complaints]);
    }
  });

  test('access requires permission, on the kind or on one object', async () => {
    const made = await server().admin.post(container, { name: 'guarded', url: 'unix:///x' });
    const stranger = await server().user();
    expect((await server().nobody.get(container)).status).toBe(403);
    expect((await stranger.api.get(container)).status).toBe(403);
    expect((await stranger.api.get(`${all}${made.body.pk}/state/`)).status).toBe(403);
    const viewer = await server().user(['svc_outposts.view_containerserviceconnection']);
    expect((await viewer.api.get(`${container}${made.body.pk}/`)).status).toBe(200);
    expect((await viewer.api.get(`${container}00000000-0000-0000-0000-000000000000/`)).status).toBe(404);
    expect((await viewer.api.post(container, { name: 'n', url: 'x' })).status).toBe(403);
    expect((await viewer.api.delete(`${container}${made.body.pk}/`)).status).toBe(403);
    expect((await viewer.api.get(cluster)).status).toBe(403);
    // What the kind allows, the common list allows, and no more.
    await server().admin.post(cluster, { name: 'not for this viewer', local: true });
    expect(names(await viewer.api.get(`${all}?page_size=1000`))).not.toContain('not for this viewer');
    expect(names(await viewer.api.get(`${all}?page_size=1000`))).toContain('guarded');
  });
});

describeOnBoth('cluster service connections', (server) => {
  test('a kubeconfig is kept sealed and shown to those who may see the connection', async () => {
    const { status, body } = await server().admin.post(cluster, { name: 'by config', kubeconfig });
    expect(status).toBe(201);
    expect(body).toEqual({
      pk: body.pk,
      name: 'by config',
      local: false,
      component: 'xak-service-connection-cluster-form',
      verbose_name: 'Cluster Service-Connection',
      verbose_name_plural: 'Cluster Service-Connections',
      meta_model_name: 'svc_outposts.clusterserviceconnection',
      kubeconfig,
      verify_ssl: true,
    });
    const events = await server().admin.get(`/events/events/?search=${body.pk.replaceAll('-', '')}`);
    expect(JSON.stringify(events.body)).not.toContain('the-secret-token-of-the-cluster');
  });

  test('an empty kubeconfig is for the local cluster only, and a wrong one for none', async () => {
    const { admin } = server();
    const empty = 'You can only use an empty kubeconfig when connecting to a local cluster.';
    const refused = async (body: Record<string, unknown>) => (await admin.post(cluster, { name: 'n', ...body })).body;
    expect(await refused({ kubeconfig: {} })).toEqual({ kubeconfig: [empty] });
    expect(await refused({})).toEqual({ kubeconfig: [empty] });
    expect(await refused({ kubeconfig: null })).toEqual({ kubeconfig: ['This field may not be null.'] });
    for (const wrong of [
      7,
      'text',
      [],
      { clusters: [] },
      { ...kubeconfig, 'current-context': 'other' },
      { ...kubeconfig, users: [] },
      { ...kubeconfig, clusters: [{ name: 'here', cluster: { server: 'file:///etc/passwd' } }] },
    ]) {
      expect(await refused({ kubeconfig: wrong })).toEqual({ kubeconfig: ['Invalid kubeconfig'] });
    }
    const made = await admin.post(cluster, { name: 'local one', local: true, kubeconfig: {} });
    expect(made.status).toBe(201);
    const remote = await admin.patch(`${cluster}${made.body.pk}/`, { local: false });
    expect([remote.status, remote.body]).toEqual([400, { kubeconfig: [empty] }]);
  });
});

describeOnSqlite('all service connections', (server) => {
  test('each connection shows its kind, and types/ lists the kinds', async () => {
    const { admin } = server();
    const made = await admin.post(cluster, { name: 'of a kind', local: true });
    expect((await admin.get(`${all}${made.body.pk}/`)).body).toEqual({
      pk: made.body.pk,
      name: 'of a kind',
      local: true,
      component: 'xak-service-connection-cluster-form',
      verbose_name: 'Cluster Service-Connection',
      verbose_name_plural: 'Cluster Service-Connections',
      meta_model_name: 'svc_outposts.clusterserviceconnection',
    });
    const types = await admin.get(`${all}types/`);
    expect(types.body.map(({ model_name }: { model_name: string }) => model_name)).toEqual([
      'clusterserviceconnection',
      'containerserviceconnection',
    ]);
    expect((await admin.delete(`${all}${made.body.pk}/`)).status).toBe(204);
    expect((await admin.get(`${cluster}${made.body.pk}/`)).status).toBe(404);
  });
});
