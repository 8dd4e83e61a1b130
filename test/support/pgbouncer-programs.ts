import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { hasDebianPackage } from './debian-package.ts';
import { unpackFromTrixie } from './trixie-packages.ts';

/** A PgBouncer that can be started: its program, and what comes before its own arguments. */
export interface PgBouncerProgram {
  readonly file: string;
  readonly args: readonly string[];
}

const installed: PgBouncerProgram = { file: '/usr/sbin/pgbouncer', args: [] };

/** Debian's, installed if need be. */
export async function findPgBouncer(): Promise<PgBouncerProgram | null> {
  return (await hasDebianPackage('pgbouncer', [installed.file])) ? installed : null;
}

/**
 * One that takes care of prepared statements, which 1.21 was the first to do: Debian 12 has 1.18, Debian 13 has 1.24.
 */
export async function findPreparingPgBouncer(): Promise<PgBouncerProgram | null> {
  if (existsSync(installed.file) && versionOf(installed) >= 1021) return installed;
  const root = await unpackFromTrixie('pgbouncer', packages);
  return root === null ? null : runIn(root);
}

/** 1.18 as 1018. */
function versionOf({ file, args }: PgBouncerProgram): number {
  const said = execFileSync(file, [...args, '--version'], { encoding: 'utf8' });
  const [, major, minor] = /PgBouncer (\d+)\.(\d+)/.exec(said) ?? [];
  return Number(major) * 1000 + Number(minor);
}

// With its C library, since that of Debian 12 is too old for it.
const packages = [
  ...['pgbouncer', 'libc6', 'libcares2', 'libevent-2.1-7t64', 'libpam0g', 'libssl3t64', 'libsystemd0'],
  ...['libcap2', 'libzstd1', 'libaudit1', 'libcap-ng0', 'zlib1g'],
];

/** Runs with the libraries that it was built for, whatever this machine has. */
function runIn(root: string): PgBouncerProgram {
  const folder = readdirSync(join(root, 'usr/lib')).find((name) => name.endsWith('-linux-gnu')) ?? '';
  const libraries = join(root, 'usr/lib', folder);
  const loader = readdirSync(libraries).find((name) => name.startsWith('ld-linux')) ?? '';
  return { file: join(libraries, loader), args: ['--library-path', libraries, join(root, 'usr/sbin/pgbouncer')] };
}
