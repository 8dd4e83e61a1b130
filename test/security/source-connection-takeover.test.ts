import { expect, test } from 'vitest';
import { makeFlow, makeSource, unique } from '../api/sources/fixtures.ts';
import { grantOn } from '../support/grants.ts';
import { describeOnSqlite, type TestServer } from '../support/server.ts';

// Whoever could choose whom an account elsewhere stands for could sign in as anyone, or let a SCIM client act on
// anyone.

const sourceOf = async (server: TestServer, kind: string) => {
  const flow = await makeFlow(server, 'stage_configuration');
  const values: Record<string, Record<string, unknown>> = {
    oauth: { provider_type: 'github', consumer_key: 'k', consumer_secret: 's' },
    saml: { pre_authentication_flow: flow.pk, sso_url: 'https://idp.example.com/' },
    mediasrc: { plex_token: 't' },
    scim: {},
  };
  return makeSource(server, kind, values[kind] ?? {});
};

describeOnSqlite('connections to sources', (server) => {
  test.each(['oauth', 'saml', 'mediasrc'])('%s: nobody moves a connection to another user or source', async (kind) => {
    const path = `/sources/user_connections/${kind}/`;
    const [attacker, victim] = [await server().user(), await server().user()];
    const [source, elsewhere] = [await sourceOf(server(), kind), await sourceOf(server(), kind)];
    const secret = kind === 'mediasrc' ? { plex_token: 't' } : {};
    const body = { user: attacker.pk, source: source.pk, identifier: unique('id'), ...secret };
    const { body: made } = await server().admin.post(path, body);
    for (const api of [attacker.api, server().admin]) {
      for (const base of [path, '/sources/user_connections/all/']) {
        for (const method of ['put', 'patch'] as const) {
          await api[method](`${base}${made.pk}/`, { ...body, user: victim.pk, source: elsewhere.pk });
          await api[method](`${base}${made.pk}/`, { ...body, user_id: victim.pk, source_id: elsewhere.pk, kind: 'x' });
        }
      }
    }
    const after = await server().admin.get(`${path}${made.pk}/`);
    expect(after.body).toMatchObject({ user: attacker.pk, source: { pk: source.pk } });
    expect((await victim.api.get(path)).body.results).toEqual([]);
  });

  test.each(['oauth', 'saml', 'mediasrc'])('%s: nobody but a superuser links a superuser', async (kind) => {
    const path = `/sources/user_connections/${kind}/`;
    const source = await sourceOf(server(), kind);
    const delegate = await server().user([
      `svc_sources_${kind}.add_user${kind}sourceconnection`,
      `svc_sources_${kind}.change_${kind}source`,
      'svc_core.change_user',
      'svc_core.view_user',
    ]);
    const secret = kind === 'mediasrc' ? { plex_token: 't' } : {};
    const admin = (await server().admin.get('/core/users/?username=admin')).body.results[0].pk;
    const body = { user: admin, source: source.pk, identifier: unique('id'), ...secret };
    expect((await delegate.api.post(path, body)).status).toBe(403);
    expect((await delegate.api.post(path, { ...body, user: delegate.pk })).status).toBe(201);
    expect((await server().admin.get(`${path}?user=${admin}`)).body.results).toEqual([]);
  });

  const change = ['view', 'change', 'add'];
  const groupRights = change.map((verb) => `svc_sources_scim.${verb}_scimsourcegroup`);
  const userRights = change.map((verb) => `svc_sources_scim.${verb}_scimsourceuser`);

  test('a SCIM record is moved to another group only by callers who may change both groups', async () => {
    const { admin } = server();
    const source = await sourceOf(server(), 'scim');
    const [from, to] = [
      (await admin.post('/core/groups/', { name: unique('from') })).body,
      (await admin.post('/core/groups/', { name: unique('to') })).body,
    ];
    const { body: record } = await admin.post('/sources/scim_groups/', {
      id: unique('id'),
      group: from.pk,
      source: source.pk,
    });
    const path = `/sources/scim_groups/${record.id}/`;
    const delegate = await server().user(groupRights);
    const move = () => delegate.api.patch(path, { group: to.pk });
    expect((await delegate.api.patch(path, { attributes: { still: 'allowed' } })).status).toBe(200);
    expect((await delegate.api.patch(path, { group: from.pk })).status).toBe(200);
    expect((await move()).status).toBe(403);
    await grantOn(server(), delegate.pk, 'svc_core.change_group', to.pk);
    expect((await move()).status).toBe(403);
    await grantOn(server(), delegate.pk, 'svc_core.change_group', from.pk);
    expect((await move()).status).toBe(200);
    expect((await admin.get(path)).body.group).toBe(to.pk);
  });

  test('a SCIM record is moved to another source only by callers who may change both sources', async () => {
    const { admin } = server();
    const [from, to] = [await sourceOf(server(), 'scim'), await sourceOf(server(), 'scim')];
    const { body: group } = await admin.post('/core/groups/', { name: unique('group') });
    const { body: record } = await admin.post('/sources/scim_groups/', {
      id: unique('id'),
      group: group.pk,
      source: from.pk,
    });
    const delegate = await server().user(groupRights);
    const move = () => delegate.api.patch(`/sources/scim_groups/${record.id}/`, { source: to.pk });
    expect((await move()).status).toBe(403);
    await grantOn(server(), delegate.pk, 'svc_sources_scim.change_scimsource', to.pk);
    expect((await move()).status).toBe(403);
    await grantOn(server(), delegate.pk, 'svc_sources_scim.change_scimsource', from.pk);
    expect((await move()).status).toBe(200);
  });

  test('only a superuser points a SCIM record at a group of superusers, or below one', async () => {
    const { admin } = server();
    const source = await sourceOf(server(), 'scim');
    const { body: plain } = await admin.post('/core/groups/', { name: unique('plain') });
    const { body: above } = await admin.post('/core/groups/', { name: unique('above'), is_superuser: true });
    const { body: below } = await admin.post('/core/groups/', { name: unique('below'), parent: above.pk });
    const delegate = await server().user([
      ...groupRights,
      'svc_core.change_group',
      'svc_sources_scim.change_scimsource',
    ]);
    const body = { id: unique('id'), group: plain.pk, source: source.pk };
    expect((await delegate.api.post('/sources/scim_groups/', body)).status).toBe(201);
    for (const group of [above.pk, below.pk]) {
      expect((await delegate.api.patch(`/sources/scim_groups/${body.id}/`, { group })).status).toBe(403);
      expect((await delegate.api.put(`/sources/scim_groups/${body.id}/`, { ...body, group })).status).toBe(403);
      expect((await delegate.api.post('/sources/scim_groups/', { ...body, id: unique('id'), group })).status).toBe(403);
      expect((await admin.patch(`/sources/scim_groups/${body.id}/`, { group })).status).toBe(200);
      await admin.patch(`/sources/scim_groups/${body.id}/`, { group: plain.pk });
    }
  });

  test('a user record is moved only by callers who may change both users, and never to a superuser', async () => {
    const { admin } = server();
    const source = await sourceOf(server(), 'scim');
    const [from, to] = [await server().user(), await server().user()];
    const superuser = (await admin.get('/core/users/?username=admin')).body.results[0].pk;
    const { body: record } = await admin.post('/sources/scim_users/', {
      id: unique('id'),
      user: from.pk,
      source: source.pk,
    });
    const path = `/sources/scim_users/${record.id}/`;
    const delegate = await server().user(userRights);
    expect((await delegate.api.patch(path, { user: to.pk })).status).toBe(403);
    await grantOn(server(), delegate.pk, 'svc_core.change_user', from.pk);
    expect((await delegate.api.patch(path, { user: to.pk })).status).toBe(403);
    await grantOn(server(), delegate.pk, 'svc_core.change_user', to.pk);
    expect((await delegate.api.patch(path, { user: to.pk })).status).toBe(200);
    const able = await server().user([...userRights, 'svc_core.change_user', 'svc_sources_scim.change_scimsource']);
    expect((await able.api.patch(path, { user: superuser })).status).toBe(403);
    expect((await able.api.patch(path, { user: from.pk })).status).toBe(200);
  });
});
