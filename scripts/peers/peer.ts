import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

/** Something that others wrote, which drives a running server. */
export interface Peer {
  readonly name: string;
  /** Fetches what it needs into the folder; null when it is there, else what could not be had. */
  prepare(folder: string): string | null | Promise<string | null>;
  /** Whether everything that it checks is as it should be. */
  run(folder: string): Promise<boolean>;
}

/**
 * Runs a program with its output on ours; null when it succeeds. Not in sync, which would leave the log of the server
 * unread until the server waits for its reader. Large programs take long to build on a small machine.
 */
export function failureOf(
  program: string,
  args: readonly string[],
  env: Record<string, string> = {},
  cwd = process.cwd(),
): Promise<string | null> {
  const child = spawn(program, args, { stdio: 'inherit', timeout: 2_400_000, env: { ...process.env, ...env }, cwd });
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(`${program}: ${error.message}`));
    child.once('exit', (status, signal) => resolve(status === 0 ? null : `${program} ended with ${status ?? signal}`));
  });
}

/** Ends a program that was started here, and waits until it has ended. */
export async function endOf(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill();
  await ended;
}

/** The folder of the programs of a Python environment. */
export const pythonPrograms = (folder: string, name: string): string => join(folder, `python-${name}`, 'bin');

/** Installs packages (PyPI) in a virtual environment; returns null, or why that failed. */
export async function installPython(folder: string, name: string, packages: readonly string[]): Promise<string | null> {
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages];
  return (
    (await failureOf('python3', ['-m', 'venv', join(folder, `python-${name}`)])) ??
    failureOf(join(pythonPrograms(folder, name), 'python'), pip)
  );
}

/** The folder of installed packages. */
export const npmPackages = (folder: string, name: string): string => join(folder, `npm-${name}`, 'node_modules');

/** Installs packages (npm) in a separate folder; returns null, or why that failed. */
export const installNpm = (folder: string, name: string, packages: readonly string[]): Promise<string | null> =>
  failureOf('npm', ['install', '--no-audit', '--no-fund', '--prefix', join(folder, `npm-${name}`), ...packages]);

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely
export async function fetchJson(url: string, request: RequestInit = {}): Promise<any> {
  const answer = await fetch(url, request);
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}
