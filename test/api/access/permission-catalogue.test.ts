import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { bootstrap } from '../../../src/app/bootstrap/run.ts';
import { assignableModels } from '../../../src/core/access/models.ts';
import { describeOnBoth } from '../../support/server.ts';

describeOnBoth('the catalogue of permissions', (server) => {
  const names = async (where = sql`1 = 1`) => {
    const { rows } = await sql<{ name: string }>`select app_label || '.' || codename as name from permissions
      where ${where} order by 1`.execute(server().world.db.read);
    return rows.map(({ name }) => name);
  };

  test('has four permissions for each of the 89 models', async () => {
    const all = new Set(await names());
    expect(assignableModels).toHaveLength(89);
    for (const model of assignableModels) {
      const [app, name] = model.split('.');
      for (const verb of ['add', 'change', 'delete', 'view']) expect(all).toContain(`${app}.${verb}_${name}`);
    }
  });

  test('has the permissions of every other resource', async () => {
    const all = new Set(await names());
    for (const resource of server().app.engine.registry.resources) {
      expect(all).toContain(resource.permission('view'));
    }
  });

  test('has the permissions that belong to no verb', async () => {
    const all = new Set(await names());
    for (const name of ['svc_core.reset_user_password', 'svc_core.view_token_key', 'svc_rbac.view_system_info']) {
      expect(all).toContain(name);
    }
  });

  test('is only read at start-up when nothing is new', async () => {
    const { world, app } = server();
    const statements: string[] = [];
    const stop = world.db.onStatement(({ sql: text }) => statements.push(text));
    await bootstrap(world, app);
    stop();
    expect(statements.filter((text) => /permissions/.test(text))).toHaveLength(1);
  });

  test('restores missing permissions, and gives the view permissions to the readers', async () => {
    const { world, app } = server();
    await world.db.write((tx) => sql`delete from permissions where codename = 'view_brand'`.execute(tx));
    await bootstrap(world, app);
    const { rows } = await sql`select 1 from role_permissions rp join permissions p on p.pk = rp.permission
      join roles r on r.pk = rp.role where p.codename = 'view_brand' and r.name = 'Gatehouse Read-only'`.execute(
      world.db.read,
    );
    expect(rows).toHaveLength(1);
  });

  test('the readers hold every view permission, no other, and no key', async () => {
    const held = await names(
      sql`pk in (select rp.permission from role_permissions rp join roles r on r.pk = rp.role where r.name = 'Gatehouse Read-only')`,
    );
    expect(held.every((name) => /\.view_/.test(name))).toBe(true);
    expect(held).toContain('svc_core.view_user');
    expect(held).not.toContain('svc_core.view_token_key');
    expect(held.length).toBeGreaterThan(89);
  });
});
