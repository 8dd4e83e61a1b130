import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { releaseDatabase, releaseFiles, releaseSettings, releaseUser, startRelease } from '../releases/release.ts';
import type { Environment } from '../support/gatehouse-process.ts';
import { signInByPassword } from '../support/password-sign-in.ts';
import { freshPostgresDatabase } from '../support/postgres.ts';
import { newFolder } from '../support/server.ts';

/** Starts this version on the database of a released one and looks at what was there. */
async function expectUpgrade(env: Environment): Promise<void> {
  const server = await startRelease(env);
  try {
    const ask = (path: string, init: RequestInit) => fetch(`${server.url}${path}`, { redirect: 'manual', ...init });
    const { cookie } = await signInByPassword(ask, releaseUser.username, releaseUser.password);
    const me = await ask('/api/v3/core/users/me/', { headers: { cookie } });
    expect(await me.json()).toMatchObject({ user: { username: 'dana', groups: [{ name: 'readers' }] } });
    const admin = server.as(releaseSettings.GATEHOUSE_BOOTSTRAP_TOKEN ?? '');
    const wiki = await admin.get('/core/applications/wiki/');
    expect(wiki.body).toMatchObject({ name: 'Wiki', provider_obj: { name: 'wiki' } });
    // A secret that the older version sealed opens still.
    const provider = await admin.get(`/providers/oauth2/${wiki.body.provider}/`);
    expect(provider.body.client_secret).toMatch(/^\w{40,}$/);
    // By its beginning, its middle and its end.
    for (const search of ['da', 'AN', 'na']) {
      const { body } = await admin.get(`/core/users/?search=${search}`);
      expect(body.results.map(({ username }: { username: string }) => username)).toContain('dana');
    }
  } finally {
    await server.stop();
  }
}

describe('databases of released versions', () => {
  test.each(releaseFiles('.db.gz'))('SQLite %s is migrated, and people can sign in', async (file) => {
    const GATEHOUSE_DATA_DIR = newFolder();
    writeFileSync(join(GATEHOUSE_DATA_DIR, 'gatehouse.db'), releaseDatabase(file));
    await expectUpgrade({ GATEHOUSE_DATA_DIR });
  });

  const postgres = releaseFiles('.sql.gz');
  test('every released version has a file for SQLite and one for PostgreSQL', () => {
    expect(postgres.map((file) => file.replace('.sql.gz', '.db.gz'))).toEqual(releaseFiles('.db.gz'));
    expect(postgres.length).toBeGreaterThan(0);
  });

  for (const file of postgres) {
    test(`PostgreSQL ${file} is migrated, and people can sign in`, async ({ skip }) => {
      const database = await freshPostgresDatabase();
      if (!database) return skip('there is no PostgreSQL');
      const client = new pg.Client({ connectionString: database.url });
      await client.connect();
      await client.query(releaseDatabase(file).toString());
      await client.end();
      await expectUpgrade({ GATEHOUSE_DATA_DIR: newFolder(), DATABASE_URL: database.url });
      await database.drop();
    });
  }
});
