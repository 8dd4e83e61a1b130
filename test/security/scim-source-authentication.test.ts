import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { makeSource, unique } from '../api/sources/fixtures.ts';
import { scimClient, urns } from '../protocol/scim/scim-client.ts';
import { describeOnBoth } from '../support/server.ts';

// Accounts that SCIM clients act as must not reach anything through the admin API, and records require a permission.

describeOnBoth('SCIM sources', (server) => {
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

  test('the client of one source sees no records of another', async () => {
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
    expect((await client.get('/sources/scim_users/')).status).toBe(403);
    expect((await client.post('/sources/scim_users/', {})).status).toBe(403);
  });

  test('the token of a client does not appear in answers about the source', async () => {
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

  const paths = ['', '/Users', '/Groups', '/ServiceProviderConfig', '/Schemas', '/ResourceTypes', '/Nothing'];

  test('without the token of this source the SCIM server reveals nothing, not even which sources exist', async () => {
    const { admin, nobody } = server();
    const [ours, theirs] = [await scimClient(server()), await scimClient(server())];
    const disabled = await scimClient(server());
    await admin.patch(`/sources/scim/${disabled.source.slug}/`, { enabled: false });
    const session = (await server().user(['svc_core.view_user'])).api;
    for (const path of paths) {
      const refused = [
        await nobody.get(`${ours.root}${path}`),
        await nobody.get(`${ours.root}${path}`, { authorization: `Basic ${btoa(`x:${ours.token}`)}` }),
        await nobody.get(`${ours.root}${path}?access_token=${ours.token}`),
        await admin.get(`${ours.root}${path}`),
        await session.get(`${ours.root}${path}`),
        await server().as(theirs.token).get(`${ours.root}${path}`),
        await server().as(disabled.token).get(`${disabled.root}${path}`),
        await server().as(ours.token).get(`/source/scim/no-such-source/v2${path}`),
        await server().as(`${ours.token}x`).get(`${ours.root}${path}`),
      ];
      for (const { status, headers, body } of refused) {
        expect([path, status, headers.get('www-authenticate'), body]).toEqual([
          path,
          401,
          'Bearer realm="gatehouse"',
          { schemas: [urns.error], status: '401', detail: expect.any(String) },
        ]);
      }
    }
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      expect((await nobody.send(method, `${ours.root}/Users`, {})).status).toBe(401);
    }
    expect((await ours.get('/Users')).status).toBe(200);
  });

  test('an expired token, an inactive account and a replaced key are refused', async () => {
    const { admin } = server();
    const client = await scimClient(server());
    const { identifier, user } = client.source.token_obj;
    const status = async () => (await client.get('/Users')).status;
    const token = (values: object) => admin.patch(`/core/tokens/${identifier}/`, values);
    expect(await status()).toBe(200);
    const { db } = server().world;
    const past = '2001-01-01T00:00:00.000000Z';
    await db.write((tx) =>
      sql`update tokens set expiring = ${true}, expires = ${past} where identifier = ${identifier}`.execute(tx),
    );
    expect(await status()).toBe(401);
    await token({ expiring: false });
    expect(await status()).toBe(200);
    await token({ intent: 'app_password' });
    expect(await status()).toBe(401);
    await token({ intent: 'api', expiring: false });
    expect(await status()).toBe(200);
    await db.write((tx) => sql`update users set is_active = ${false} where pk = ${user}`.execute(tx));
    expect(await status()).toBe(401);
    await db.write((tx) => sql`update users set is_active = ${true} where pk = ${user}`.execute(tx));
    await admin.post(`/core/tokens/${identifier}/set_key/`, { key: 'k'.repeat(60) });
    expect(await status()).toBe(401);
    expect((await server().as('k'.repeat(60)).get(`${client.root}/Users`)).status).toBe(200);
    expect((await server().as('k'.repeat(60)).get('/core/users/me/')).status).toBe(403);
  });

  test('one source cannot read or change another source’s users and groups by their ids', async () => {
    const [ours, theirs] = [await scimClient(server()), await scimClient(server())];
    const paths = [`/Users/${(await theirs.user()).id}`, `/Groups/${(await theirs.group()).id}`];
    for (const path of paths) {
      for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
        const body = method === 'GET' ? undefined : { userName: 'x', displayName: 'x', Operations: [] };
        expect([method, (await ours.send(method, path, body)).status]).toEqual([method, 404]);
      }
      expect((await theirs.get(path)).status).toBe(200);
    }
  });

  test('a client cannot make itself or others administrators', async () => {
    const client = await scimClient(server());
    const values = { is_superuser: true, type: 'internal_service_account', roles: [{ value: 'admin' }] };
    const user = await client.user({ ...values, groups: [{ value: 'admins' }], attributes: { x: 1 } });
    const group = await client.group({ ...values, parent: 'x', members: [{ value: user.id }] });
    const { body } = await server().admin.get(`/core/users/?uuid=${user.id}`);
    expect(body.results[0]).toMatchObject({
      is_superuser: false,
      type: 'internal',
      attributes: {},
      groups: [group.id],
    });
    const shown = await server().admin.get(`/core/groups/${group.id}/`);
    expect(shown.body).toMatchObject({ is_superuser: false, parent: null, roles: [], attributes: {} });
  });
});
