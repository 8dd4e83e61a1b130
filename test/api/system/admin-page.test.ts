import { expect, test } from 'vitest';
import { unique } from '../../support/make-walk.ts';
import { describeOnSqlite } from '../../support/server.ts';
import { statementsOf } from '../../support/statements.ts';

describeOnSqlite('admin_page_retrieve', (server) => {
  const ask = (paths: readonly string[], api = server().admin, more = '') =>
    api.get(`/admin/page/?${new URLSearchParams(paths.map((path) => ['path', path]))}${more}`);
  /** What one path answers. */
  const read = async (path: string, api = server().admin) => {
    const { status, body } = await ask([path], api);
    expect([path, status]).toEqual([path, 200]);
    return { ...body.answers[0], names: body.names };
  };

  test('answers an object as a GET of its path does, with its name and those of what it refers to', async () => {
    const { admin } = server();
    const parent = (await admin.post('/core/groups/', { name: unique('above') })).body;
    const group = (await admin.post('/core/groups/', { name: unique('below'), parent: parent.pk })).body;
    const path = `/core/groups/${group.pk}/`;
    const { status, body, etag, names } = await read(path);
    const plain = await admin.get(path);
    expect([status, body, etag]).toEqual([200, plain.body, plain.headers.get('etag')]);
    expect(names).toHaveLength(2);
    expect(names).toContainEqual(
      expect.objectContaining({ pk: group.pk, name: group.name, may: expect.arrayContaining(['change', 'delete']) }),
    );
    expect(names).toContainEqual(expect.objectContaining({ pk: parent.pk, name: parent.name }));
    const changed = await admin.patch(path, { name: unique('else') }, { 'if-match': etag });
    expect(changed.status).toBe(200);
  });

  test('answers a list with its filters, and the names of what its columns refer to in one statement for each model', async () => {
    const { admin } = server();
    const parent = (await admin.post('/core/groups/', { name: unique('above') })).body;
    const name = unique('below');
    for (const at of [1, 2, 3]) await admin.post('/core/groups/', { name: `${name} ${at}`, parent: parent.pk });
    const listed = () => read(`/core/groups/?search=${name}&page_size=2&dialog=search`);
    const { body, names } = await listed();
    expect(body).toEqual((await admin.get(`/core/groups/?search=${name}&page_size=2`)).body);
    expect(body.results).toHaveLength(2);
    expect(names).toMatchObject([{ pk: parent.pk, name: parent.name }]);
    const statements = await statementsOf(server(), listed);
    expect(statements.filter((sql) => sql.includes('"groups"')).length).toBeLessThanOrEqual(4);
  });

  test('answers several paths at once, what is refused beside what is not, and the document of one resource', async () => {
    const { api } = await server().user(['svc_core.view_group']);
    const group = (await server().admin.post('/core/groups/', { name: unique('group') })).body;
    const below = (await server().admin.post('/core/groups/', { name: unique('below'), parent: group.pk })).body;
    const paths = [`/core/groups/${group.pk}/used_by/`, '/core/brands/', '/core/users/me/'];
    const { body } = await ask(paths, api, '&document=/core/groups/');
    expect(body.answers.map(({ status }: { status: number }) => status)).toEqual([200, 403, 200]);
    expect(body.answers[1].body).toEqual((await api.get('/core/brands/')).body);
    expect(body.names).toMatchObject([{ pk: below.pk, path: `/core/groups/${below.pk}/` }]);
    expect(body.document).toEqual((await api.get('/schema/?under=/core/groups/')).body);
  });

  test('shows no user more than the operation behind it', async () => {
    const { admin } = server();
    const group = (await admin.post('/core/groups/', { name: unique('group') })).body;
    const token = (await admin.post('/core/tokens/', { identifier: unique('token') })).body;
    const path = `/core/groups/${group.pk}/`;
    const { api } = await server().user();
    const paths = [path, '/core/groups/', '/core/tokens/', `/core/tokens/${token.identifier}/`, '/core/users/'];
    for (const asked of [...paths, `/core/tokens/${token.identifier}/view_key/`]) {
      const [part, plain] = [await read(asked, api), await api.get(asked)];
      expect([asked, part.status, part.body]).toEqual([asked, plain.status, plain.body]);
    }
    expect((await ask([path], server().nobody)).status).toBe(403);
    const viewer = await server().user(['svc_core.view_group']);
    expect((await read(path, viewer.api)).names).toMatchObject([{ pk: group.pk, may: [] }]);
  });

  test('refuses what no resource answers', async () => {
    expect((await server().admin.get('/admin/page/')).status).toBe(400);
    expect((await ask(Array(6).fill('/core/groups/'))).status).toBe(400);
    const paths = [
      '/nothing/',
      '/core/groups/x/',
      '/core/groups/%E0%A4%A/',
      'x',
      '//evil/',
      '/admin/system/',
      '/schema/',
    ];
    for (const path of [...paths, '/core/groups/?page=99', '/events/events/export/'])
      expect([path, (await read(path)).status]).toEqual([path, 404]);
    expect((await read('/core/groups/?is_superuser=perhaps')).status).toBe(400);
  });
});
