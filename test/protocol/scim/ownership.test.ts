import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { unique } from '../../api/sources/fixtures.ts';
import { eventsDuring } from '../../support/events.ts';
import { describeOnBoth } from '../../support/server.ts';
import { type ScimClient, scimClient } from './scim-client.ts';

describeOnBoth('what a SCIM source may do to whom', (server) => {
  let client: ScimClient;
  beforeAll(async () => {
    client = await scimClient(server());
  });
  const userOf = async (pk: number) => (await server().admin.get(`/core/users/${pk}/`)).body;
  const link = async (user: number) => {
    const id = unique('linked');
    const made = await server().admin.post('/sources/scim_users/', { id, user, source: client.source.pk });
    expect(made.status).toBe(201);
    return id;
  };

  test('a user linked by hand is the source’s to change, and is switched off instead of deleted', async () => {
    const local = await server().user([], { email: `${unique('a')}@example.com` });
    const externalId = await link(local.pk);
    const { uuid } = await userOf(local.pk);
    expect(await client.find('Users', `externalId eq "${externalId}"`)).toEqual([uuid]);
    const put = await client.send('PUT', `/Users/${uuid}`, { userName: local.username, displayName: 'Theirs' });
    expect([put.status, (await userOf(local.pk)).name]).toEqual([200, 'Theirs']);
    expect((await local.api.get('/core/users/me/')).status).toBe(200);
    const events = await eventsDuring(server(), async () => {
      expect((await client.send('DELETE', `/Users/${uuid}`)).status).toBe(204);
    });
    expect(events.map(({ action, context }) => [action, context.source.name])).toEqual([
      ['user_write', client.source.name],
    ]);
    expect((await userOf(local.pk)).is_active).toBe(false);
    expect((await local.api.get('/core/users/me/')).status).toBe(403);
    expect((await client.get(`/Users/${uuid}`)).status).toBe(404);
  });

  test('deleting a group linked by hand deletes its record only', async () => {
    const { body: group } = await server().admin.post('/core/groups/', { name: unique('local') });
    await server().admin.post('/sources/scim_groups/', {
      id: unique('g'),
      group: group.pk,
      source: client.source.pk,
    });
    expect((await client.send('DELETE', `/Groups/${group.pk}`)).status).toBe(204);
    expect((await server().admin.get(`/core/groups/${group.pk}/`)).status).toBe(200);
    expect((await client.get(`/Groups/${group.pk}`)).status).toBe(404);
  });

  test('a record that an administrator points at another user gives no right to delete them', async () => {
    const externalId = unique('moved');
    await client.user({ externalId });
    const local = await server().user();
    await server().admin.patch(`/sources/scim_users/${externalId}/`, { user: local.pk });
    const { uuid } = await userOf(local.pk);
    expect((await client.send('DELETE', `/Users/${uuid}`)).status).toBe(204);
    expect((await userOf(local.pk)).is_active).toBe(false);
  });

  test('superusers and superuser groups cannot be changed, however they are linked', async () => {
    const { body: group } = await server().admin.post('/core/groups/', { name: unique('root'), is_superuser: true });
    const { body: below } = await server().admin.post('/core/groups/', { name: unique('below'), parent: group.pk });
    const root = await server().user([], {});
    await server().admin.post(`/core/groups/${group.pk}/add_user/`, { pk: root.pk });
    await link(root.pk);
    for (const pk of [group.pk, below.pk]) {
      await server().admin.post('/sources/scim_groups/', { id: unique('g'), group: pk, source: client.source.pk });
    }
    const { uuid } = await userOf(root.pk);
    const mine = await client.user();
    const members = { op: 'add', path: 'members', value: [{ value: mine.id }] };
    for (const path of [`/Users/${uuid}`, `/Groups/${group.pk}`, `/Groups/${below.pk}`]) {
      const answers = [
        await client.send('PUT', path, { active: false, displayName: 'x' }),
        await client.patch(path, members, { op: 'replace', path: 'active', value: false }),
        await client.send('DELETE', path),
      ];
      expect(answers.map(({ status }) => status)).toEqual([403, 403, 403]);
    }
    expect((await userOf(root.pk)).is_active).toBe(true);
    expect((await server().admin.get(`/core/groups/${below.pk}/`)).body.users).toEqual([]);
  });

  test('deactivation ends sessions and tokens at once', async () => {
    const made = await client.user();
    const { body } = await server().admin.get(`/core/users/?uuid=${made.id}`);
    const { pk } = body.results[0];
    const { world } = server();
    const token = await server().admin.post('/core/tokens/', { identifier: unique('t'), user: pk });
    const key = (await server().admin.get(`/core/tokens/${token.body.identifier}/view_key/`)).body.key;
    await world.db.write((tx) =>
      sql`insert into authenticated_sessions (pk, token_hash, "user", created, last_ip, last_user_agent, last_used, expires)
      values (${crypto.randomUUID()}, ${unique('hash')}, ${pk}, ${world.clock.now()}, '::1', '', ${world.clock.now()},
        ${'2100-01-01T00:00:00.000000Z'})`.execute(tx),
    );
    expect((await server().as(key).get('/core/users/me/')).status).toBe(200);
    await client.patch(`/Users/${made.id}`, { op: 'Replace', path: 'active', value: 'False' });
    expect((await server().as(key).get('/core/users/me/')).status).toBe(403);
    const { rows } = await sql`select 1 from authenticated_sessions where "user" = ${pk}`.execute(world.db.read);
    expect(rows).toEqual([]);
  });
});

describeOnBoth('the property mappings of a SCIM source', (server) => {
  const mapping = async (expression: string) =>
    (await server().admin.post('/propertymappings/source/scim/', { name: unique('mapping'), expression })).body.pk;

  test('see the document, the source and the properties, and merge over them', async () => {
    const client = await scimClient(server(), {
      user_property_mappings: [
        await mapping(
          'return { name: data.title + " " + properties.name, attributes: { from: source.slug, department: data.title }, type: "service_account", is_superuser: true };',
        ),
      ],
      group_property_mappings: [
        await mapping('return { name: properties.name + "!", attributes: { a: 1 }, is_superuser: true, parent: "x" };'),
      ],
    });
    const made = await client.user({ displayName: 'Vo', title: 'Dr.' });
    const { body } = await server().admin.get(`/core/users/?uuid=${made.id}`);
    expect(body.results[0]).toMatchObject({
      name: 'Dr. Vo',
      attributes: { from: client.source.slug, department: 'Dr.' },
      type: 'internal',
      is_superuser: false,
    });
    expect(made.displayName).toBe('Dr. Vo');
    await server().admin.patch(`/core/users/${body.results[0].pk}/`, { attributes: { own: true } });
    await client.patch(`/Users/${made.id}`, { op: 'replace', path: 'title', value: 'Prof.' });
    const { body: again } = await server().admin.get(`/core/users/?uuid=${made.id}`);
    expect(again.results[0].attributes).toEqual({ own: true, from: client.source.slug, department: 'Prof.' });
    const group = await client.group({ displayName: unique('g') });
    const { body: shown } = await server().admin.get(`/core/groups/${group.id}/`);
    expect([shown.name, shown.is_superuser, shown.parent, shown.attributes]).toEqual([
      group.displayName,
      false,
      null,
      { a: 1 },
    ]);
    expect(group.displayName).toMatch(/!$/);
  });

  test.each(['throw new Error("oops")', 'return 5;', 'return { username: {} };', 'while (true) {}'])(
    'one that fails writes nothing and is told to the administrator: %s',
    async (expression) => {
      const client = await scimClient(server(), { user_property_mappings: [await mapping(expression)] });
      const userName = unique('failing');
      const events = await eventsDuring(server(), async () => {
        const answer = await client.send('POST', '/Users', { userName });
        expect([answer.status, answer.body.scimType]).toEqual([400, 'invalidValue']);
        expect(answer.text).not.toContain('oops');
      });
      const expected = expression.includes('{} }') ? [] : ['configuration_error'];
      expect(events.map(({ action }) => action)).toEqual(expected);
      expect((await server().admin.get(`/core/users/?username=${userName}`)).body.results).toEqual([]);
      expect((await client.get('/Users')).body.totalResults).toBe(0);
    },
  );
});
