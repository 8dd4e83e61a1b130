import { expect, test } from 'vitest';
import { makeSource, unique } from '../api/sources/fixtures.ts';
import { describeOnBoth } from '../support/server.ts';

// Accounts that SCIM clients act as must not reach anything through the admin API, and nobody reaches records without a right.

describeOnBoth('class 41: SCIM sources', (server) => {
  test('records can be neither read nor written without signing in', async () => {
    const { admin, nobody } = server();
    const source = await makeSource(server(), 'scim', {});
    const user = await server().user();
    const { body: record } = await admin.post('/sources/scim_users/', {
      id: unique('id'),
      user: user.pk,
      source: source.pk,
    });
    for (const [method, path] of [
      ['GET', '/sources/scim_users/'],
      ['POST', '/sources/scim_users/'],
      ['GET', `/sources/scim_users/${record.id}/`],
      ['PUT', `/sources/scim_users/${record.id}/`],
      ['PATCH', `/sources/scim_users/${record.id}/`],
      ['DELETE', `/sources/scim_users/${record.id}/`],
      ['GET', '/sources/scim_groups/'],
      ['GET', '/sources/scim/'],
    ] as const) {
      expect([method, path, (await nobody.send(method, path)).status]).toEqual([method, path, 403]);
      expect((await user.api.send(method, path)).status).toBe(403);
    }
  });

  test('the client of one source sees nothing of another’s', async () => {
    const { admin } = server();
    const [ours, theirs] = [await makeSource(server(), 'scim', {}), await makeSource(server(), 'scim', {})];
    const user = await server().user();
    const { body: record } = await admin.post('/sources/scim_users/', {
      id: unique('id'),
      user: user.pk,
      source: theirs.pk,
    });
    const { body } = await admin.get(`/core/tokens/${ours.token_obj.identifier}/view_key/`);
    const client = server().as(body.key);
    for (const path of [
      `/sources/scim_users/${record.id}/`,
      `/sources/scim/${theirs.slug}/`,
      `/sources/scim/${ours.slug}/`,
      `/core/tokens/${theirs.token_obj.identifier}/`,
      `/core/tokens/${theirs.token_obj.identifier}/view_key/`,
      `/core/users/${user.pk}/`,
    ]) {
      const { status } = await client.get(path);
      expect([path, status === 403 || status === 404]).toEqual([path, true]);
    }
    expect((await client.get('/sources/scim_users/')).body.results ?? []).toEqual([]);
    expect((await client.post('/sources/scim_users/', {})).status).toBe(403);
  });

  test('the key of a client is nowhere in the answers about the source', async () => {
    const { admin } = server();
    const source = await makeSource(server(), 'scim', {});
    const { body } = await admin.get(`/core/tokens/${source.token_obj.identifier}/view_key/`);
    expect(JSON.stringify(source)).not.toContain(body.key);
    const viewer = await server().user(['svc_sources_scim.view_scimsource']);
    const shown = await viewer.api.get(`/sources/scim/${source.slug}/`);
    expect(shown.status).toBe(200);
    expect(shown.text).not.toContain(body.key);
    expect((await viewer.api.get(`/core/tokens/${source.token_obj.identifier}/view_key/`)).status).not.toBe(200);
  });
});
