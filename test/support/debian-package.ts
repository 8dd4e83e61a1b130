import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * For one installation at a time: in many images `apt-get update` deletes the packages that another one has just
 * fetched.
 */
const lock = '/run/gatehouse-tests-apt.lock';

/** Installs one of Debian's packages when this machine lets us. Gives the reason when it could not. */
export async function installDebianPackage(name: string): Promise<string | null> {
  if (process.getuid?.() !== 0) return `\`apt-get install ${name}\` needs root`;
  if (!existsSync('/usr/bin/apt-get')) return 'there is no apt-get on this machine';

  process.stderr.write(`Installing Debian's ${name} for the tests: this takes a minute, once.\n`);
  const options = { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }, maxBuffer: 2 ** 26 };
  const apt = 'apt-get -o DPkg::Lock::Timeout=300 -qq';
  try {
    await run(
      'flock',
      [lock, 'sh', '-c', `${apt} update && ${apt} install -y --no-install-recommends ${name}`],
      options,
    );
    return null;
  } catch (error) {
    const complaint = error instanceof Error ? error.message.trim().split('\n').at(-1) : String(error);
    return `\`apt-get install ${name}\` failed: ${complaint}`;
  }
}

/**
 * Whether all the files of a Debian package are there, installed if need be. Where it cannot be installed, CI fails,
 * and other runs report that its tests are skipped. Call it at the top level of a test file.
 */
export async function hasDebianPackage(name: string, files: readonly string[]): Promise<boolean> {
  const isThere = () => files.every((file) => existsSync(file));
  if (isThere()) return true;
  const reason = await installDebianPackage(name);
  if (reason === null && isThere()) return true;
  const words = `No ${name}: ${reason ?? 'the package brought none'}`;
  if (process.env.CI) throw new Error(words);
  process.stderr.write(`${words}. Its tests are skipped.\n`);
  return false;
}
