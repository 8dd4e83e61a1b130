import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Installs one of Debian's packages when this machine lets us. Gives the reason when it could not. */
export async function installDebianPackage(name: string): Promise<string | null> {
  if (process.getuid?.() !== 0) return `\`apt-get install ${name}\` needs root`;
  if (!existsSync('/usr/bin/apt-get')) return 'there is no apt-get on this machine';

  process.stderr.write(`Installing Debian's ${name} for the tests: this takes a minute, once.\n`);
  const options = { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }, maxBuffer: 2 ** 26 };
  const quiet = ['-o', 'DPkg::Lock::Timeout=300', '-qq'];
  try {
    await run('apt-get', [...quiet, 'update'], options);
    await run('apt-get', [...quiet, 'install', '-y', '--no-install-recommends', name], options);
    return null;
  } catch (error) {
    const complaint = error instanceof Error ? error.message.trim().split('\n').at(-1) : String(error);
    return `\`apt-get install ${name}\` failed: ${complaint}`;
  }
}
