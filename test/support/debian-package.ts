import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Installs one of Debian's packages when this machine lets us. Gives the reason when it could not. */
export function installDebianPackage(name: string): string | null {
  if (process.getuid?.() !== 0) return `\`apt-get install ${name}\` needs root`;
  if (!existsSync('/usr/bin/apt-get')) return 'there is no apt-get on this machine';

  process.stderr.write(`Installing Debian's ${name} for the tests: this takes a minute, once.\n`);
  const options = { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }, encoding: 'utf8' } as const;
  const wait = ['-o', 'DPkg::Lock::Timeout=300', '-qq'];
  spawnSync('apt-get', [...wait, 'update'], options);
  const install = spawnSync('apt-get', [...wait, 'install', '-y', '--no-install-recommends', name], options);
  if (install.status === 0) return null;
  const complaint = install.stderr.trim().split('\n').at(-1);
  return `\`apt-get install ${name}\` failed: ${complaint ?? install.error?.message ?? 'without a word'}`;
}
