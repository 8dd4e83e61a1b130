import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiFor } from '../support/api.ts';
import { hasDebianPackage } from '../support/debian-package.ts';
import { freePort } from '../support/free-port.ts';
import { firstStart, processToken } from '../support/gatehouse-process.ts';
import { freshPostgresDatabase } from '../support/postgres.ts';
import { newFolder } from '../support/server.ts';
import { snippetsOf } from '../support/snippets.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url)).replace(/\/$/, '');
const hasSystemd = await hasDebianPackage('systemd', ['/usr/bin/systemd-analyze']);

/** What systemd and Docker do with the service, around a real server. */
const supervisors = `set -euo pipefail
stop() { kill "$(cat pid)"; while kill -0 "$(cat pid)" 2>/dev/null; do command sleep 0.05; done; }
start() {
  mkdir -p data && : > log
  (cd "$CHECKOUT" && exec env $(cat "$PLACE/settings") node scripts/gatehouse.mjs serve) >> log 2>&1 &
  echo $! > pid
  until grep -q 'Gatehouse is ready' log; do kill -0 "$(cat pid)" || { cat log >&2; exit 1; }; command sleep 0.05; done
}
restart() { stop; start; }
is-active() { kill -0 "$(cat pid)"; }
at_place() { (cd "$PLACE" && "$@"); }
systemctl() { at_place "$1"; }
sleep() { command sleep 0; }
docker() {
  [ "$1 $2" = "compose -f" ] || exit 2
  local verb=$4
  shift 4
  while [[ "\${1:-}" == -* ]]; do [ "$1" = --entrypoint ] && shift; shift; done
  case $1 in
    gatehouse | gatehouse-1) shift ;;
    postgres) shift; "$@"; return ;;
    *) exit 2 ;;
  esac
  case $verb in
    start | stop) at_place "$verb" ;;
    run) (cd "$CHECKOUT" && env $(cat "$PLACE/settings") sh "$@") ;;
    exec) (cd "$CHECKOUT" && env $(cat "$PLACE/settings") "$@") ;;
    logs) cat "$PLACE/log" ;;
    *) exit 2 ;;
  esac
}
cd "$PLACE"
`;

const hasClient = await hasDebianPackage('postgresql-client', ['/usr/bin/psql']);
const database = hasClient ? await freshPostgresDatabase() : null;

describe.each([
  { name: 'under systemd', has: 'systemctl', url: null },
  { name: 'in containers', has: 'docker compose', url: null },
  ...(database ? [{ name: 'in containers on PostgreSQL', has: 'compose.postgres.yaml', url: database.url }] : []),
])('a backup and a restore $name, as the documentation has them', ({ has, url }) => {
  const place = newFolder();
  let port: number;

  async function follow(script: string): Promise<string> {
    const own = {
      '/var/backups/gatehouse/2026-11-16T030000.backup': join(place, 'gatehouse.backup'),
      '/var/lib/gatehouse': join(place, 'data'),
      '/etc/gatehouse.env': join(place, 'settings'),
      '/opt/gatehouse': root,
      '/data/*': join(place, 'data/*'),
      ...(url !== null && ownDatabase(url)),
    };
    const changed = Object.entries(own).reduce((text, [from, to]) => text.replaceAll(from, to), script);
    const env = { PATH: process.env.PATH, HOME: place, PLACE: place, CHECKOUT: root };
    // Its own output: the server that it starts holds on to that of the shell.
    const { stdout } = await run('bash', ['-c', `${supervisors}${changed}`], { env });
    return stdout;
  }

  const snippet = (page: string, has: string) => {
    const found = snippetsOf(page, 'sh').find((text) => text.includes(has));
    if (!found) throw new Error(`${page} has no commands with ${has}`);
    return found;
  };

  beforeAll(async () => {
    port = await freePort();
    const settings = {
      ...{ ...firstStart, PORT: String(port), GATEHOUSE_DATA_DIR: join(place, 'data') },
      ...(url !== null && { DATABASE_URL: url }),
    };
    writeFileSync(
      join(place, 'settings'),
      Object.entries(settings)
        .map((pair) => pair.join('='))
        .join('\n')
        .concat('\n'),
    );
    await follow('start');
  });
  afterAll(async () => {
    await follow('stop');
    if (url !== null) await database?.drop();
  });

  test('bring back what was there, and only that', async () => {
    const admin = () => apiFor(`http://127.0.0.1:${port}`, { authorization: `Bearer ${processToken}` });
    expect((await admin().post('/core/groups/', { name: 'before' })).status).toBe(201);
    if (has !== 'docker compose') {
      await follow(
        `cd ${root} && npm run gatehouse -- backup --settings /etc/gatehouse.env --to ${place}/gatehouse.backup`,
      );
    } else {
      const lines = snippet('docs/deployment.md', 'compose').split('\n');
      const commands = lines.filter((line) => !/^echo| up -d/.test(line)).join('\n');
      const said = await follow(commands);
      expect(said).toContain('The database is ');
    }
    expect((await admin().post('/core/groups/', { name: 'after' })).status).toBe(201);

    await follow(snippet('docs/backups.md', has));
    const { body } = await admin().get('/core/groups/');
    const names = body.results.map(({ name }: { name: string }) => name);
    expect(names).toContain('before');
    expect(names).not.toContain('after');
    expect((await admin().get('/admin/overview/')).body.outgoing_held_since).toBeNull();
  });

  if (has === 'systemctl') {
    test('the key moves into the settings', async () => {
      const file = join(place, 'data/secret.key');
      const key = readFileSync(file, 'utf8').trim();
      await follow(snippet('docs/deployment.md', 'GATEHOUSE_SECRET_KEY'));
      expect(existsSync(file)).toBe(false);
      await follow('restart');
      expect(readFileSync(join(place, 'settings'), 'utf8')).toContain(`GATEHOUSE_SECRET_KEY=${key}\n`);
    });
  }
});

/** What stands for the database of the compose file. */
function ownDatabase(url: string): Readonly<Record<string, string>> {
  const name = new URL(url).pathname.slice(1);
  const server = new URL(url);
  server.pathname = '/postgres';
  return {
    'psql -U gatehouse postgres': `psql '${server.href}'`,
    gatehouse_broken: `"${name}_broken"`,
    'database gatehouse': `database "${name}"`,
  };
}

describe('the nightly backup of docs/backups.md', () => {
  const [service = '', timer = ''] = snippetsOf('docs/backups.md', 'ini');

  test.skipIf(!hasSystemd)('is a valid service and timer', async () => {
    const folder = newFolder();
    const files = {
      'gatehouse-backup.service': service.replaceAll('/opt/gatehouse', folder),
      'gatehouse-backup.timer': timer,
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const paths = Object.keys(files).map((name) => join(folder, name));
    const { stderr } = await run('systemd-analyze', ['verify', '--man=no', ...paths]);
    expect(stderr).not.toContain('gatehouse-backup');
  });

  test('writes a file each time, and deletes old ones', async () => {
    const folder = newFolder();
    const own = {
      '/var/lib/gatehouse': join(folder, 'data'),
      '/var/backups': join(folder, 'backups'),
      '/opt/gatehouse': root,
    };
    const unit = Object.entries(own).reduce(
      (text, [from, to]) => text.replaceAll(from, to),
      service.replaceAll('%%', '%'),
    );
    const values = (name: string) =>
      [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) => value ?? '');
    const env = { PATH: process.env.PATH, ...Object.fromEntries(values('Environment').map((pair) => pair.split('='))) };
    const [cwd = ''] = values('WorkingDirectory');
    mkdirSync(join(folder, 'backups'));
    await run('npm', ['run', '--silent', 'gatehouse', '--', 'migrate'], { cwd, env });
    const commands = ['ExecStartPre', 'ExecStart', 'ExecStartPost'].flatMap(values);
    expect(commands).toHaveLength(3);
    const old = join(folder, 'backups/gatehouse/old.backup');
    await run('sh', ['-c', commands.join('\n')], { cwd, env });
    writeFileSync(old, '');
    await run('touch', ['-d', '33 days ago', old]);
    await run('sh', ['-c', ['sleep 1', ...commands].join('\n')], { cwd, env });
    const { stdout } = await run('ls', [join(folder, 'backups/gatehouse')]);
    expect(stdout.trim().split('\n')).toHaveLength(2);
    expect(existsSync(old)).toBe(false);
    expect(readFileSync(join(folder, 'backups/gatehouse', stdout.split('\n')[0] ?? '')).length).toBeGreaterThan(1_000);
  });
});
