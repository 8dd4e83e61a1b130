// Keeps the code of the version that package.json names and a small database of it, on both databases, for the tests
// of later versions:
//   npm run keep-release
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import type { Environment } from '../support/gatehouse-process.ts';
import { findPostgres, startCluster } from '../support/postgres-cluster.ts';
import { releaseFolder, releaseSettings, releaseUser, startRelease } from './release.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const keep = (name: string, content: Buffer) =>
  writeFileSync(join(releaseFolder, `${version}.${name}.gz`), gzipSync(content));

/** A user who is no administrator, in a group, with an application. */
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

/** Our own code alone, in one file; packages stay where they are. */
async function keepCode(): Promise<void> {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const build = await rolldown({
    input: join(root, 'src', 'main.ts'),
    cwd: root,
    platform: 'node',
    external: /^[^./]/,
  });
  const minify = { compress: false, mangle: false, codegen: { removeWhitespace: true } };
  const { output } = await build.generate({ format: 'esm', codeSplitting: false, minify });
  const params = { [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS };
  writeFileSync(join(releaseFolder, `${version}.js.br`), brotliCompressSync(output[0].code, { params }));
  await build.close();
}

await keepCode();
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
