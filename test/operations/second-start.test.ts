import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openPostgres } from '../../src/platform/db/postgres/postgres.ts';
import { openSqlite } from '../../src/platform/db/sqlite/sqlite.ts';
import { firstStart, processToken, startServerProcess } from '../support/gatehouse-process.ts';
import { freshPostgresDatabase } from '../support/postgres.ts';
import { hasPostgres, newFolder } from '../support/server.ts';
import { contentsOf } from '../support/whole-database.ts';

describe.each(['sqlite', 'postgres'])('the second start on %s', (kind) => {
  test.skipIf(kind === 'postgres' && !hasPostgres)(
    'changes nothing, and respects what an administrator has changed or deleted',
    async () => {
      const folder = newFolder();
      const database = kind === 'postgres' ? await freshPostgresDatabase() : null;
      const env = {
        GATEHOUSE_DATA_DIR: folder,
        ...firstStart,
        GATEHOUSE_BOOTSTRAP_EMAIL: 'first@example.com',
        ...(database && { DATABASE_URL: database.url }),
      };
      async function contents() {
        const db = database ? openPostgres(database.url) : openSqlite(join(folder, 'gatehouse.db'));
        const all = await contentsOf(db, []);
        await db.close();
        return all;
      }
      // Other words in the settings are for first starts only.
      const again = {
        ...env,
        GATEHOUSE_BOOTSTRAP_TOKEN: 'another-token-in-the-settings',
        GATEHOUSE_BOOTSTRAP_PASSWORD: 'another-password-in-the-settings',
        GATEHOUSE_BOOTSTRAP_EMAIL: 'another@example.com',
      };
      const first = await startServerProcess(env);
      await first.stop();
      const made = await contents();
      expect(made.users?.length).toBeGreaterThan(0);
      await (await startServerProcess(again)).stop();
      expect(await contents()).toEqual(made);

      const third = await startServerProcess(again);
      const admin = third.as(processToken);
      expect((await third.as('another-token-in-the-settings').get('/core/users/')).status).toBe(403);
      const [user] = (await admin.get('/core/users/?username=admin')).body.results;
      expect(user).toMatchObject({ email: 'first@example.com', email_verified: true });
      expect(
        (await admin.patch(`/core/users/${user.pk}/`, { name: 'Changed', email: 'changed@example.com' })).status,
      ).toBe(200);
      const [brand] = (await admin.get('/core/brands/')).body.results;
      const changed = await admin.patch(`/core/brands/${brand.brand_uuid}/`, { branding_title: 'Changed' });
      expect(changed.status).toBe(200);
      let deleted = 0;
      for (const list of [
        '/policies/all/',
        '/stages/all/',
        '/flows/instances/',
        '/events/rules/',
        '/propertymappings/all/',
      ]) {
        const { results } = (await admin.get(list)).body;
        // The flow that people sign in by cannot be deleted.
        const object = results.find(({ slug }: { slug?: string }) => slug !== 'default-authentication-flow');
        // Nor can a policy that is bound.
        for (const binding of (await admin.get(`/policies/bindings/?policy=${object.pk}`)).body.results ?? [])
          await admin.delete(`/policies/bindings/${binding.pk}/`);
        const { status } = await admin.delete(`${list}${object.slug ?? object.pk}/`);
        if (status === 204) deleted += 1;
      }
      expect(deleted).toBe(5);
      await third.stop();
      const after = await contents();
      expect(after).not.toEqual(made);
      await (await startServerProcess(again)).stop();
      expect(await contents()).toEqual(after);
      await database?.drop();
    },
  );
});
