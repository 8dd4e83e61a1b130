import { beforeAll, expect, test } from 'vitest';
import { unique } from '../api/sources/fixtures.ts';
import { type ScimClient, scimClient } from '../protocol/scim/scim-client.ts';
import { describeOnBoth } from '../support/server.ts';

// The token of a SCIM source opens more than its account holds, so its readers and its writes are limited.

describeOnBoth('the token of a SCIM source', (server) => {
  let client: ScimClient;
  let path: string;
  beforeAll(async () => {
    client = await scimClient(server());
    path = `/core/tokens/${client.source.token_obj.identifier}/`;
  });

  test('is not shown to delegates who may view keys of tokens', async () => {
    const { api } = await server().user(['svc_core.view_token', 'svc_core.view_token_key', 'svc_core.change_token']);
    const shown = await api.get(`${path}view_key/`);
    expect(shown.status).toBe(403);
    expect(shown.body.detail).toBe('Only superusers may view or change the token of a source or an outpost.');
    expect(shown.text).not.toContain(client.token);
    expect((await server().admin.get(`${path}view_key/`)).body.key).toBe(client.token);
  });

  test('cannot be read, changed or deleted by impersonating its account', async () => {
    const { admin } = server();
    const { user } = (await admin.get(path)).body;
    const { api } = await server().user(['svc_core.impersonate', 'svc_core.view_user']);
    const acting = await api.post(`/core/users/${user}/impersonate/`, { reason: 'test' });
    expect(acting.status).toBe(403);
    const own = await admin.post('/core/tokens/', { identifier: unique('own'), user });
    const { key } = (await admin.get(`/core/tokens/${own.body.identifier}/view_key/`)).body;
    const account = server().as(key);
    expect((await account.get(`${path}view_key/`)).status).toBe(403);
    expect((await account.patch(path, { description: 'mine' })).status).toBe(403);
    expect((await account.delete(path)).status).toBe(403);
    expect((await client.get('/Users')).status).toBe(200);
    expect((await admin.get(path)).body.description).not.toBe('mine');
  });
});

describeOnBoth('writes of a SCIM client', (server) => {
  let client: ScimClient;
  beforeAll(async () => {
    client = await scimClient(server());
  });
  const userOf = async (uuid: string) => (await server().admin.get(`/core/users/?uuid=${uuid}`)).body.results[0];

  /** A role with a permission, given through a group to those members. */
  async function privilegedGroup(users: number[] = []) {
    const { admin } = server();
    const role = (await admin.post('/rbac/roles/', { name: unique('role') })).body;
    const granted = await admin.post(`/rbac/permissions/assigned_by_roles/${role.pk}/assign/`, {
      permissions: ['svc_core.reset_user_password'],
    });
    expect(granted.status).toBe(200);
    return (await admin.post('/core/groups/', { name: unique('helpdesk'), roles: [role.pk], users })).body;
  }

  test('deactivate users who hold permissions, and change nothing else of them', async () => {
    const made = await client.user({ emails: [{ value: `${unique('helper')}@example.com`, primary: true }] });
    const helper = await userOf(made.id);
    await privilegedGroup([helper.pk]);
    const email = { op: 'replace', path: 'emails', value: [{ value: 'attacker@example.com', primary: true }] };
    const refused = await client.patch(`/Users/${made.id}`, email);
    expect([refused.status, refused.body.detail]).toEqual([
      403,
      'This user holds permissions. A superuser must set manages_privileged on the source first.',
    ]);
    const renamed = await client.send('PUT', `/Users/${made.id}`, { ...made, userName: unique('other') });
    expect(renamed.status).toBe(403);
    expect(await userOf(made.id)).toMatchObject({ email: helper.email, username: helper.username });
    const off = await client.patch(`/Users/${made.id}`, { op: 'replace', path: 'active', value: false });
    expect([off.status, (await userOf(made.id)).is_active]).toEqual([200, false]);
    const on = await client.patch(`/Users/${made.id}`, { op: 'replace', path: 'active', value: true });
    expect([on.status, (await userOf(made.id)).is_active]).toEqual([403, false]);
  });

  test('deleting a user who holds permissions deactivates and unlinks them', async () => {
    const made = await client.user();
    await privilegedGroup([(await userOf(made.id)).pk]);
    expect((await client.send('DELETE', `/Users/${made.id}`)).status).toBe(204);
    expect((await userOf(made.id)).is_active).toBe(false);
    expect((await client.get(`/Users/${made.id}`)).status).toBe(404);
  });

  test('do not fill groups that hold permissions until a superuser allows it', async () => {
    const { admin } = server();
    const other = await scimClient(server());
    const [person, group] = [await other.user(), await other.group()];
    const role = (await admin.post('/rbac/roles/', { name: unique('role') })).body;
    await admin.post(`/rbac/permissions/assigned_by_roles/${role.pk}/assign/`, {
      permissions: ['svc_core.reset_user_password'],
    });
    expect((await admin.patch(`/core/groups/${group.id}/`, { roles: [role.pk] })).status).toBe(200);
    const add = () => other.patch(`/Groups/${group.id}`, { op: 'add', path: 'members', value: [{ value: person.id }] });
    expect((await add()).status).toBe(403);
    expect((await admin.get(`/core/groups/${group.id}/`)).body.users).toEqual([]);

    const path = `/sources/scim/${other.source.slug}/`;
    expect((await admin.patch(path, { manages_privileged: true })).body.manages_privileged).toBe(true);
    expect((await add()).status).toBe(200);
    expect((await admin.get(`/core/groups/${group.id}/`)).body.users).toHaveLength(1);
    const rename = { op: 'replace', path: 'displayName', value: 'New Name' };
    expect((await other.patch(`/Users/${person.id}`, rename)).status).toBe(200);
  });

  test('add, remove and list only members whom the source manages', async () => {
    const { admin } = server();
    const stranger = await server().user();
    const { uuid } = (await admin.get(`/core/users/${stranger.pk}/`)).body;
    const mine = await client.user();
    const group = await client.group({ members: [{ value: uuid }, { value: mine.id }] });
    const members = async () => (await admin.get(`/core/groups/${group.id}/`)).body.users;
    const { pk } = await userOf(mine.id);
    expect(await members()).toEqual([pk]);

    await admin.post(`/core/groups/${group.id}/add_user/`, { pk: stranger.pk });
    const shown = await client.get(`/Groups/${group.id}`);
    expect(shown.body.members.map(({ value }: { value: string }) => value)).toEqual([mine.id]);
    expect(await client.find('Groups', `members.value eq "${uuid}"`)).toEqual([]);
    const emptied = await client.send('PUT', `/Groups/${group.id}`, { ...shown.body, members: [] });
    expect(emptied.status).toBe(200);
    expect(await members()).toEqual([stranger.pk]);
  });
});
