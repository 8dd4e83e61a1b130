import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { lastingFolder } from './run-folder.ts';

const run = promisify(execFile);
const keys = '/usr/share/keyrings/debian-archive-keyring.gpg';

/**
 * A folder with packages of Debian 13, for programs that Debian 12 has in too old a version. apt checks their
 * signatures, nothing is installed, and no root is needed. Where they cannot be installed, CI fails, and other runs
 * report that the tests are skipped.
 */
export async function unpackFromTrixie(name: string, packages: readonly string[]): Promise<string | null> {
  const root = join(lastingFolder(), `gatehouse-tests-trixie-${name}`);
  if (existsSync(root)) return root;
  try {
    if (!existsSync('/usr/bin/apt-get') || !existsSync(keys)) throw new Error('this machine is no Debian');
    process.stderr.write(`Fetching ${name} of Debian 13 for the tests: this takes half a minute, once.\n`);
    await fetchInto(root, packages);
    return root;
  } catch (error) {
    const complaint = error instanceof Error ? error.message.trim().split('\n').at(-1) : String(error);
    const words = `No ${name} of Debian 13: ${complaint}`;
    if (process.env.CI) throw new Error(words);
    process.stderr.write(`${words}. Its tests are skipped.\n`);
    return null;
  }
}

/** From where apt on this machine gets its own release, which has the others, too. */
async function debianArchive(): Promise<string> {
  const [, release = ''] = /^VERSION_CODENAME=(.+)$/m.exec(readFileSync('/etc/os-release', 'utf8')) ?? [];
  const filters = ['Created-By: Packages', `Release: ${release}`, 'Component: main'];
  const { stdout } = await run('apt-get', ['indextargets', '--format', '$(REPO_URI)', ...filters]);
  const [archive = ''] = stdout.split('\n');
  if (archive === '') throw new Error(`apt on this machine has no source of ${release}`);
  return archive;
}

async function fetchInto(root: string, packages: readonly string[]): Promise<void> {
  const place = mkdtempSync(join(lastingFolder(), 'gatehouse-trixie-'));
  try {
    for (const folder of ['lists/partial', 'cache/archives/partial', 'root']) {
      mkdirSync(join(place, folder), { recursive: true });
    }
    const archive = await debianArchive();
    writeFileSync(join(place, 'sources.list'), `deb [signed-by=${keys}] ${archive} trixie main\n`);
    const settings = {
      'Dir::Etc::SourceList': join(place, 'sources.list'),
      'Dir::Etc::SourceParts': '/dev/null',
      'Dir::State::Lists': join(place, 'lists'),
      'Dir::State::Status': '/dev/null',
      'Dir::Cache': join(place, 'cache'),
    };
    const options = Object.entries(settings).flatMap(([setting, value]) => ['-o', `${setting}=${value}`]);
    await run('apt-get', [...options, '-qq', 'update']);
    await run('apt-get', [...options, '-qq', 'download', ...packages], { cwd: place });
    for (const file of readdirSync(place).filter((each) => each.endsWith('.deb'))) {
      await run('dpkg-deb', ['-x', join(place, file), join(place, 'root')]);
    }
    // PostgreSQL's user runs some of them.
    await run('chmod', ['-R', 'a+rX', join(place, 'root')]);
    try {
      renameSync(join(place, 'root'), root);
    } catch (error) {
      // Another worker was quicker; its files are the same.
      if (!existsSync(root)) throw error;
    }
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}
