// Keeps a small database of the version that package.json names, on both databases, for the tests of later versions:
//   npm run release-database
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gzipSync } from 'node:zlib';
import type { Environment } from '../support/gatehouse-process.ts';
import { findPostgres, startCluster } from '../support/postgres-cluster.ts';
import { releaseFolder, releaseSettings, releaseUser, startRelease } from './release.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const keep = (name: string, content: Buffer) =>
  writeFileSync(join(releaseFolder, `${version}.${name}.gz`), gzipSync(content));

/** Somebody who is no administrator, in a group, with an application. */
async function fill(env: Environment): Promise<void> {
  const server = await startRelease(env);
  const admin = server.as(releaseSettings.GATEHOUSE_BOOTSTRAP_TOKEN ?? '');
  const { username, password } = releaseUser;
  const user = await admin.post('/core/users/', { username, name: 'Dana', email: 'dana@example.com' });
  await admin.post(`/core/users/${user.body.pk}/set_password/`, { password });
  await admin.post('/core/groups/', { name: 'readers', users: [user.body.pk] });
  await admin.put('/core/transactional/applications/', {
    app: { name: 'Wiki', slug: 'wiki' },
    provider_model: 'svc_providers_oauth2.oauth2provider',
    provider: { name: 'wiki', redirect_uris: [{ matching_mode: 'strict', url: 'https://wiki.example.com/callback' }] },
  });
  await server.stop();
}

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-release-'));
await fill({ GATEHOUSE_DATA_DIR: folder });
const whole = join(folder, 'whole.db');
new DatabaseSync(join(folder, 'gatehouse.db')).exec(`vacuum into '${whole}'`);
keep('db', readFileSync(whole));

const found = await findPostgres();
if ('reason' in found) throw new Error(found.reason);
const cluster = await startCluster(found.programs);
await fill({ GATEHOUSE_DATA_DIR: join(folder, 'postgres'), DATABASE_URL: cluster.adminUrl });
const dump = execFileSync(
  join(found.programs, 'pg_dump'),
  ['--inserts', '--no-owner', '--no-privileges', cluster.adminUrl],
  {
    maxBuffer: 2 ** 28,
  },
).toString();
// Commands of psql are for psql alone.
keep('sql', Buffer.from(dump.replaceAll(/^\\.*\n/gm, '')));
await cluster.stop();
rmSync(folder, { recursive: true });
