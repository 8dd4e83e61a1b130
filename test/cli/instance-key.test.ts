import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { firstStart, runGatehouse, startServerProcess } from '../support/gatehouse-process.ts';
import { freshPostgresDatabase } from '../support/postgres.ts';
import { newFolder } from '../support/server.ts';

async function filledFolder(): Promise<{ folder: string; env: Record<string, string> }> {
  const folder = newFolder();
  const env = { GATEHOUSE_DATA_DIR: folder, PORT: '0', ...firstStart };
  await (await startServerProcess(env)).stop();
  return { folder, env };
}

describe('a database is served with the key that it was made with', () => {
  test('another key in the settings is refused', async () => {
    const { env } = await filledFolder();
    const wrong = { ...env, GATEHOUSE_SECRET_KEY: 'some other key, long enough to be one' };
    for (const command of ['serve', 'recover-admin']) {
      const { code, stderr } = await runGatehouse([command], wrong);
      expect(code).toBe(1);
      expect(stderr).toContain(
        `gatehouse ${command} failed: this database was made with another instance key than that in GATEHOUSE_SECRET_KEY`,
      );
    }
    await (await startServerProcess(env)).stop();
  });

  test('another key file and a missing one are refused, and no new key is created', async () => {
    const { folder, env } = await filledFolder();
    const file = join(folder, 'secret.key');
    renameSync(file, join(folder, 'kept'));
    const without = await runGatehouse(['serve'], env);
    expect(without.code).toBe(1);
    expect(without.stderr).toContain(`the instance key is missing: put secret.key back into ${folder}`);
    expect(existsSync(file)).toBe(false);

    writeFileSync(file, `${'x'.repeat(43)}\n`);
    const other = await runGatehouse(['serve'], env);
    expect(other.code).toBe(1);
    expect(other.stderr).toContain(`another instance key than that in ${file}`);

    renameSync(join(folder, 'kept'), file);
    await (await startServerProcess(env)).stop();
  });

  test('the key from the folder can be moved into the settings', async () => {
    const { folder, env } = await filledFolder();
    const GATEHOUSE_SECRET_KEY = readFileSync(join(folder, 'secret.key'), 'utf8').trim();
    await (await startServerProcess({ ...env, GATEHOUSE_SECRET_KEY })).stop();
  });
});

const database = await freshPostgresDatabase();

test.skipIf(!database)('an instance with another key cannot join on PostgreSQL', async () => {
  const env = { ...firstStart, DATABASE_URL: database?.url ?? '', PORT: '0' };
  const first = await startServerProcess({ ...env, GATEHOUSE_DATA_DIR: newFolder() });
  const second = await runGatehouse(['serve'], { ...env, GATEHOUSE_DATA_DIR: newFolder() });
  expect(second.code).toBe(1);
  expect(second.stderr).toContain('the instance key is missing');
  await first.stop();
  await database?.drop();
});
