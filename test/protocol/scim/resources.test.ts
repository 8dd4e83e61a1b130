import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { unique } from '../../api/sources/fixtures.ts';
import { eventsDuring } from '../../support/events.ts';
import { describeOnBoth } from '../../support/server.ts';
import { type ScimClient, scimClient, urns } from './scim-client.ts';

describeOnBoth('RFC 7644 §3.3 to §3.6: resources are created, read, replaced and deleted', (server) => {
  let client: ScimClient;
  beforeAll(async () => {
    client = await scimClient(server());
  });
  const userOf = async (username: string) =>
    (await server().admin.get(`/core/users/?username=${encodeURIComponent(username)}`)).body.results[0];

  test('§3.3: POST makes a user with all that the document says', async () => {
    const userName = unique('dana');
    const document = {
      schemas: [urns.user, urns.enterprise],
      externalId: unique('ext'),
      userName,
      name: { formatted: 'Dana Vo', familyName: 'Vo', givenName: 'Dana' },
      displayName: 'Dana',
      title: 'Keeper',
      emails: [
        { value: 'home@example.com', type: 'home' },
        { value: 'work@example.com', type: 'work', primary: true },
      ],
      active: true,
      [urns.enterprise]: { department: 'Doors', manager: '7', employeeNumber: '12' },
    };
    const made = await client.send('POST', '/Users', document);
    expect(made.status).toBe(201);
    expect(made.headers.get('content-type')).toBe('application/scim+json');
    const location = `${server().world.config.publicUrl}${client.root}/Users/${made.body.id}`;
    expect(made.headers.get('location')).toBe(location);
    expect(made.body).toEqual({
      ...document,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      [urns.enterprise]: { department: 'Doors', manager: { value: '7' }, employeeNumber: '12' },
      meta: {
        resourceType: 'User',
        created: expect.stringMatching(/^\d{4}-.*Z$/),
        lastModified: made.body.meta.created,
        location,
        version: made.headers.get('etag'),
      },
    });
    expect((await client.get(`/Users/${made.body.id}`)).body).toEqual(made.body);
    expect(await userOf(userName)).toMatchObject({
      username: userName,
      name: 'Dana Vo',
      email: 'work@example.com',
      is_active: true,
      uuid: made.body.id,
      path: `gatehouse/sources/${client.source.slug}`,
      is_superuser: false,
      type: 'internal',
    });
    const { body: record } = await server().admin.get(`/sources/scim_users/${document.externalId}/`);
    expect(record.attributes).toMatchObject({ userName, title: 'Keeper', externalId: document.externalId });
  });

  test('§3.3: what is the server’s own is never the client’s: id, meta, schemas, password', async () => {
    const made = await client.user({
      id: 'mine',
      meta: { resourceType: 'Admin', version: 'mine' },
      password: 'secret-of-the-client',
      groups: [{ value: 'admins' }],
    });
    expect(made.id).not.toBe('mine');
    expect(made.meta.resourceType).toBe('User');
    expect(made.meta.version).not.toBe('mine');
    expect(made).not.toHaveProperty('groups');
    const { rows } = await sql<{ password: string; attributes: string }>`select u.password, r.attributes from users u
      join scim_source_users r on r."user" = u.pk where u.uuid = ${made.id}`.execute(server().world.db.read);
    expect(rows[0]?.password).toBe('!');
    expect(JSON.stringify(rows)).not.toContain('secret-of-the-client');
  });

  test('§3.3: userName is unique in any case of letters, and no user is adopted', async () => {
    const { userName } = await client.user();
    const taken = await client.send('POST', '/Users', { userName: userName.toUpperCase() });
    expect([taken.status, taken.body]).toEqual([
      409,
      { schemas: [urns.error], status: '409', scimType: 'uniqueness', detail: expect.stringContaining('userName') },
    ]);
    const local = await server().user();
    const adopted = await client.send('POST', '/Users', { userName: local.username, active: false });
    expect([adopted.status, adopted.body.scimType]).toEqual([409, 'uniqueness']);
    const { body: me } = await server().admin.get('/core/users/me/');
    const admin = await client.send('POST', '/Users', { userName: me.user.username, displayName: 'Mine' });
    expect(admin.status).toBe(409);
    expect((await userOf(local.username)).is_active).toBe(true);
  });

  test('§3.3: an address that another user has is refused', async () => {
    const value = `${unique('taken')}@example.com`;
    await server().user([], { email: value });
    const taken = await client.send('POST', '/Users', { userName: unique('u'), emails: [{ value }] });
    expect([taken.status, taken.body.scimType, taken.body.detail]).toEqual([
      409,
      'uniqueness',
      'A user with this email exists already.',
    ]);
  });

  test('§3.3: an externalId is unique in its source, and two sources may use the same', async () => {
    const externalId = unique('ext');
    await client.user({ externalId });
    const again = await client.send('POST', '/Users', { userName: unique('u'), externalId });
    expect([again.status, again.body.scimType]).toEqual([409, 'uniqueness']);
    const other = await scimClient(server());
    const made = await other.user({ externalId });
    expect(made.externalId).toBe(externalId);
    expect(await other.find('Users', `externalId eq "${externalId}"`)).toEqual([made.id]);
  });

  test.each<[string, unknown, string]>([
    ['no userName', {}, 'invalidValue'],
    ['an empty userName', { userName: '' }, 'invalidValue'],
    ['a userName that is no text', { userName: {} }, 'invalidValue'],
    ['a userName that is too long', { userName: 'x'.repeat(151) }, 'invalidValue'],
    ['an address that is none', { userName: 'ok', emails: [{ value: 'nowhere' }] }, 'invalidValue'],
    ['active that is neither true nor false', { userName: 'ok', active: 'perhaps' }, 'invalidValue'],
    ['a name that is no object', { userName: 'ok', name: 'Dana' }, 'invalidValue'],
    ['a null character', { userName: 'a\u0000b' }, 'invalidValue'],
    ['a list', [], 'invalidSyntax'],
    ['no JSON', '{', 'invalidSyntax'],
    ['a text in Latin-1', Buffer.from('{"userName": "dän"}', 'latin1'), 'invalidSyntax'],
  ])('§3.12: %s is refused with 400 and its scimType', async (_name, body, scimType) => {
    const answer = await client.send('POST', '/Users', body);
    expect([answer.status, answer.body]).toEqual([
      400,
      { schemas: [urns.error], status: '400', scimType, detail: expect.any(String) },
    ]);
    expect(answer.headers.get('content-type')).toBe('application/scim+json');
  });

  test('§3.5.1: PUT changes what it says and leaves the rest of the user as it is', async () => {
    const made = await client.user({ displayName: 'Old', title: 'Gone', emails: [{ value: 'put@example.com' }] });
    const put = await client.send('PUT', `/Users/${made.id}`, {
      schemas: [urns.user],
      userName: made.userName,
      displayName: 'New',
      active: false,
    });
    expect(put.status).toBe(200);
    expect(put.body).toMatchObject({ id: made.id, displayName: 'New', active: false });
    expect(put.body).not.toHaveProperty('title');
    expect(await userOf(made.userName)).toMatchObject({ name: 'New', email: 'put@example.com', is_active: false });
    const partial = await client.send('PUT', `/Users/${made.id}`, { active: 'True' });
    expect(partial.body).toMatchObject({ userName: made.userName, active: true });
  });

  test('§3.5.1: PUT with the name of another user is refused and jumps to no user', async () => {
    const [one, other] = [await client.user(), await client.user()];
    const put = await client.send('PUT', `/Users/${one.id}`, { userName: other.userName });
    expect([put.status, put.body.scimType]).toEqual([409, 'uniqueness']);
    expect((await client.get(`/Users/${one.id}`)).body).toEqual(one);
  });

  test('§3.5.1: an externalId may change', async () => {
    const made = await client.user({ externalId: unique('old') });
    const externalId = unique('new');
    const put = await client.send('PUT', `/Users/${made.id}`, { userName: made.userName, externalId });
    expect(put.body.externalId).toBe(externalId);
    expect(await client.find('Users', `externalId eq "${made.externalId}"`)).toEqual([]);
    expect(await client.find('Users', `externalId eq "${externalId}"`)).toEqual([made.id]);
  });

  test('§3.4.1: what was changed here is what clients see', async () => {
    const made = await client.user({ displayName: 'Old', emails: [{ value: 'old@example.com', primary: true }] });
    const { pk } = await userOf(made.userName);
    const values = { name: 'Local', email: 'local@example.com', is_active: false };
    await server().admin.patch(`/core/users/${pk}/`, values);
    const { body } = await client.get(`/Users/${made.id}`);
    expect(body).toMatchObject({ displayName: 'Local', active: false });
    expect(body.emails).toEqual([{ value: 'local@example.com', type: 'work', primary: true }]);
    expect(body.meta.version).not.toBe(made.meta.version);
  });

  test('§3.6: DELETE deletes what the source made', async () => {
    const made = await client.user();
    const gone = await client.send('DELETE', `/Users/${made.id}`);
    expect([gone.status, gone.text]).toEqual([204, '']);
    expect(await userOf(made.userName)).toBeUndefined();
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
      const absent = await client.send(method, `/Users/${made.id}`, method === 'GET' ? undefined : { userName: 'x' });
      expect([method, absent.status, absent.body]).toEqual([
        method,
        404,
        { schemas: [urns.error], status: '404', detail: 'User not found.' },
      ]);
    }
    expect((await client.get('/Users/not-a-uuid')).status).toBe(404);
    expect((await client.get('/Groups/%00')).status).toBe(404);
  });

  test('groups: members are the users of the source that the list names, and an empty list means no user', async () => {
    const [one, two] = [await client.user(), await client.user()];
    const local = await server().user();
    const { uuid } = await userOf(local.username);
    const group = await client.group({
      members: [{ value: one.id }, { value: uuid }, { value: crypto.randomUUID() }, { value: 'nobody' }, {}],
    });
    const members = (...ids: string[]) =>
      ids.map((value) => ({ value, $ref: expect.stringMatching(new RegExp(`/Users/${value}$`)), type: 'User' }));
    expect(group.schemas).toEqual([urns.group]);
    expect(group.members).toEqual(members(one.id));
    const path = `/Groups/${group.id}`;
    const put = async (body: object) =>
      (await client.send('PUT', path, { displayName: group.displayName, ...body })).body.members;
    expect(await put({ members: [{ value: two.id }] })).toEqual(members(two.id));
    expect(await put({})).toEqual(members(two.id));
    expect(await put({ members: [{ value: 'nobody' }] })).toEqual([]);
    await put({ members: [{ value: two.id }] });
    expect(await put({ members: [] })).toEqual([]);
    const { body } = await server().admin.get(`/core/groups/${group.id}/`);
    expect([body.name, body.users, body.is_superuser]).toEqual([group.displayName, [], false]);
    expect((await client.send('DELETE', path)).status).toBe(204);
    expect((await server().admin.get(`/core/groups/${group.id}/`)).status).toBe(404);
  });

  test('groups: a name that another group has is refused', async () => {
    const { body } = await server().admin.post('/core/groups/', { name: unique('local') });
    const taken = await client.send('POST', '/Groups', { displayName: body.name });
    expect([taken.status, taken.body.scimType]).toEqual([409, 'uniqueness']);
    expect((await client.send('POST', '/Groups', {})).body.scimType).toBe('invalidValue');
  });

  test('each write is one event that names the source and its account; what changes nothing writes nothing', async () => {
    const names = (events: Awaited<ReturnType<typeof eventsDuring>>) =>
      events.map(({ action, context }) => [action, context.model?.name, context.source?.name]);
    const { name } = client.source;
    const userName = unique('told');
    let id = '';
    const writes = await eventsDuring(server(), async () => {
      id = (await client.user({ userName })).id;
      await client.patch(`/Users/${id}`, { op: 'replace', path: 'title', value: 'x' });
      await client.patch(`/Users/${id}`, { op: 'replace', path: 'title', value: 'x' });
      await client.send('DELETE', `/Users/${id}`);
      const group = await client.group({ displayName: userName });
      await client.patch(`/Groups/${group.id}`, { op: 'replace', path: 'displayName', value: `${userName}2` });
      await client.send('DELETE', `/Groups/${group.id}`);
    });
    expect(names(writes)).toEqual([
      ['user_write', userName, name],
      ['user_write', userName, name],
      ['model_deleted', userName, name],
      ['model_created', userName, name],
      ['model_updated', userName, name],
      ['model_deleted', `${userName}2`, name],
    ]);
    expect(new Set(writes.map(({ username }) => username))).toEqual(new Set([client.source.token_obj.identifier]));
  });

  test('§3.14: versions guard writes and save reads', async () => {
    const made = await client.user();
    const path = `/Users/${made.id}`;
    const { version } = made.meta;
    const same = await client.get(path, { 'if-none-match': version });
    expect([same.status, same.text, same.headers.get('etag')]).toEqual([304, '', version]);
    const put = await client.send('PUT', path, { userName: made.userName, title: 'a' }, { 'if-match': version });
    expect(put.status).toBe(200);
    expect(put.body.meta.version).not.toBe(version);
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      const stale = await client.send(method, path, { Operations: [] }, { 'if-match': version });
      expect([method, stale.status]).toEqual([method, 412]);
    }
    expect((await client.get(path, { 'if-none-match': version })).status).toBe(200);
    const current = await client.send('DELETE', path, undefined, { 'if-match': put.body.meta.version });
    expect(current.status).toBe(204);
  });
});
