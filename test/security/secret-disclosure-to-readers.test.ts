import { expect, test } from 'vitest';
import type { Row } from '../../src/resource/fields/field.ts';
import { secretsOf } from '../../src/resource/read/plan.ts';
import { describeEveryResource } from '../contract/every-resource.ts';
import type { Api } from '../support/api.ts';
import { describeOnBoth, type TestServer } from '../support/server.ts';

/** A user who may read everything and change nothing. */
async function reader(server: TestServer) {
  const { body } = await server.admin.get('/core/groups/?name=Gatehouse+Read-only');
  return server.user([], { groups: [body.results[0].pk] });
}

const shows = (value: unknown): boolean => value !== undefined && value !== '' && JSON.stringify(value) !== '{}';

// Members of the read-only group read client secrets, kubeconfigs and the credentials of services.
describeEveryResource(
  'the permission to view an object does not show its secrets',
  (ground, declared) => {
    const names = secretsOf(declared).map(([name]) => name);

    test(names.join(', '), async () => {
      const { resource, make, server, probe } = ground();
      const { path, pk } = await make(resource.model);
      const listOf = async (api: Api) => (await api.get(`${resource.path}?page_size=1000`)).body.results;
      // Outposts read lists alone.
      const read = async (api: Api) =>
        resource.verbs.includes('retrieve')
          ? (await api.get(path)).body
          : (await listOf(api)).find((row: Row) => row.pk === pk);
      const known = await read(server.admin);
      expect(names.some((name) => shows(known[name]))).toBe(true);

      const { api } = await reader(server);
      for (const row of [await read(api), ...(await listOf(api))])
        for (const name of names) expect([name, shows(row[name])]).toEqual([name, false]);

      await probe.holds(resource.permission('view'), resource.secretPermission);
      expect(await read(probe.api)).toEqual(known);
    });
  },
  (resource) => secretsOf(resource).length > 0 && (resource.visibility?.by ?? 'permission') === 'permission',
);

describeOnBoth('a hidden secret', (server) => {
  const rights = ['view', 'change', 'add'].map((verb) => `svc_providers_oauth2.${verb}_oauth2provider`);
  const body = async (name: string) => ({
    name,
    authorization_flow: (await server().admin.get('/flows/instances/?designation=authorization')).body.results[0].pk,
    redirect_uris: [],
  });

  test('is shown once to the caller who creates the object', async () => {
    const { api } = await server().user(rights);
    const made = await api.post('/providers/oauth2/', await body('told once'));
    expect(made.body.client_secret).toHaveLength(128);
    expect((await api.get(`/providers/oauth2/${made.body.pk}/`)).body.client_secret).toBe('');
  });

  test('is kept when the object is sent back as read, and can be replaced', async () => {
    const { pk, client_secret } = (await server().admin.post('/providers/oauth2/', await body('kept'))).body;
    const path = `/providers/oauth2/${pk}/`;
    const secret = async () => (await server().admin.get(path)).body.client_secret;
    const { api } = await server().user(rights);
    const read = (await api.get(path)).body;
    expect((await api.put(path, read)).status).toBe(200);
    expect(await secret()).toBe(client_secret);
    expect((await api.patch(path, { client_secret: 'a new one' })).status).toBe(200);
    expect(await secret()).toBe('a new one');
    expect((await server().admin.patch(path, { client_type: 'public', client_secret: '' })).status).toBe(200);
    expect(await secret()).toBe('');
  });
});
