import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeDemo } from '../../src/app/cli/demo.ts';
import { openSqlite } from '../../src/platform/db/sqlite/sqlite.ts';
import { firstStart, processToken, runGatehouse, startServerProcess } from '../support/gatehouse-process.ts';
import { describeOnSqlite, newFolder, type TestServer } from '../support/server.ts';
import { contentsOf } from '../support/whole-database.ts';

/** Lists that may stay empty after a demo, and why. */
const mayBeEmpty: Readonly<Record<string, string>> = {
  sources_all_user_settings_list: 'the sources of the demo are switched off, so nobody can link an account to them',
};
/** What lists cannot do without. */
const queries: Readonly<Record<string, string>> = {
  rbac_permissions_assigned_by_users_list: '?model=svc_core.group',
  rbac_permissions_assigned_by_roles_list: '?model=svc_core.group',
  admin_objects_list: '?search=demo',
};

const listsOf = ({ app }: TestServer) =>
  app.operations.filter(({ id, method, path }) => method === 'GET' && id.endsWith('_list') && !path.includes('{'));

describeOnSqlite('the demo', (server) => {
  test('leaves no list of the API empty', async () => {
    await makeDemo(server().world, server().app, server().url);
    const empty: string[] = [];
    for (const { id, path } of listsOf(server())) {
      const { status, body } = await server().admin.get(path + (queries[id] ?? ''));
      expect({ id, status }).toEqual({ id, status: 200 });
      if ((body.results ?? body).length === 0) empty.push(id);
    }
    expect(empty).toEqual(Object.keys(mayBeEmpty));
  });

  test('creates objects that can each be read, with their related objects', async () => {
    const { app, admin } = server();
    let read = 0;
    for (const { id, path } of listsOf(server())) {
      const { body } = await admin.get(path + (queries[id] ?? ''));
      const row = body.results?.[0];
      if (!row) continue;
      for (const operation of app.operations) {
        const [, below] = new RegExp(`^${path}\\{(\\w+)\\}/(.*)$`).exec(operation.path)?.slice(1) ?? [];
        if (operation.method !== 'GET' || below === undefined || below.includes('{')) continue;
        // What asks another server is not for a demo.
        if (/_(state|debug)_retrieve$/.test(operation.id)) continue;
        const param = operation.path.slice(path.length).split('}')[0]?.slice(1) ?? '';
        const key = row[param] ?? row.pk ?? row.id ?? row.uuid;
        const answer = await admin.get(`${path}${encodeURIComponent(key)}/${below}`);
        expect({ id: operation.id, status: answer.status }).toEqual({ id: operation.id, status: 200 });
        read += 1;
      }
    }
    expect(read).toBeGreaterThan(80);
  });

  test('changes nothing when it is run again', async () => {
    const { world, app } = server();
    const before = await contentsOf(world.db);
    expect(await makeDemo(world, app, server().url)).toEqual(new Map());
    expect(await contentsOf(world.db)).toEqual(before);
  });

  test('restores what is missing', async () => {
    const { world, app, admin } = server();
    const { body } = await admin.get('/core/groups/?name=Demo+Engineering');
    expect((await admin.delete(`/core/groups/${body.results[0].pk}/`)).status).toBe(204);
    const made = await makeDemo(world, app, server().url);
    expect(made.get('/core/groups/')).toBe(1);
    expect(made.has('/core/users/')).toBe(false);
  });

  test('creates no account that can sign in', async () => {
    const { admin } = server();
    const { body: users } = await admin.get('/core/users/?search=demo-');
    expect(users.results.length).toBeGreaterThan(2);
    for (const { is_superuser } of users.results) expect(is_superuser).toBe(false);
    const { body: sources } = await admin.get('/sources/all/?search=Demo');
    for (const { enabled } of sources.results) expect(enabled).toBe(false);
  });
});

test('the demo command fills an empty folder, lists what it created, and refuses a database in use', async () => {
  const env = { GATEHOUSE_DATA_DIR: newFolder(), ...firstStart };
  const first = await runGatehouse(['demo'], env);
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(first.stdout).toContain('This is demo data');
  expect(first.stdout).toMatch(/^ +3 {2}core\/users$/m);
  const again = await runGatehouse(['demo'], env);
  expect(again).toMatchObject({ code: 0, stderr: '', stdout: 'The demo data is there already; nothing was made.\n' });

  const used = { GATEHOUSE_DATA_DIR: newFolder(), ...firstStart };
  const server = await startServerProcess(used);
  expect((await server.as(processToken).post('/core/groups/', { name: 'ours' })).status).toBe(201);
  const refused = await runGatehouse(['demo'], used);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain('This database is already in use; --force');
  expect((await server.as(processToken).get('/core/users/?username=demo-ada')).body.pagination.count).toBe(0);

  // With the server running: what is made is there at once, and the token that made it is gone.
  const forced = await runGatehouse(['demo', '--force'], used);
  expect(forced).toMatchObject({ code: 0, stderr: '' });
  expect((await server.as(processToken).get('/core/users/?username=demo-ada')).body.pagination.count).toBe(1);
  await server.stop();
  const db = openSqlite(join(used.GATEHOUSE_DATA_DIR, 'gatehouse.db'));
  const { tokens = [] } = await contentsOf(db);
  await db.close();
  expect(tokens.filter((row) => /"identifier","demo-[a-z0-9]{12}"/.test(row))).toEqual([]);
});
