import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Api, apiFor } from './api.ts';

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface GatehouseProcess {
  readonly pid: number;
  /** What it has written to standard output so far: the log, and what is shown once. */
  stdout(): string;
  stderr(): string;
  kill(signal: NodeJS.Signals): void;
  readonly finished: Promise<Finished>;
}

export interface RunningServer extends GatehouseProcess {
  readonly url: string;
  as(token: string): Api;
  stop(): Promise<Finished>;
}

export type Environment = Readonly<Record<string, string>>;

export const processToken = 'the-token-of-a-server-in-a-process-of-its-own';
export const processPassword = 'the-password-of-a-server-in-a-process-of-its-own';

/** Settings with which a process of its own starts without a word of what it made. */
export const firstStart: Environment = {
  GATEHOUSE_BOOTSTRAP_TOKEN: processToken,
  GATEHOUSE_BOOTSTRAP_PASSWORD: processPassword,
};

const entry = fileURLToPath(new URL('../../scripts/gatehouse.mjs', import.meta.url));
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
// Vitest ends its workers so. A process that does not handle the signal ends without the event above.
process.once('SIGTERM', () => process.exit(143));

export interface ProcessOptions {
  /** Another program than this version's: that of a release. */
  readonly program?: string;
  /** No file may grow beyond this: as good as a disk that is full. */
  readonly fileKilobytes?: number;
}

/** The command line as people start it, with nothing in its environment but what is given, and any free port. */
export function startGatehouse(
  args: readonly string[],
  env: Environment,
  { fileKilobytes, program = entry }: ProcessOptions = {},
): GatehouseProcess {
  const limit = fileKilobytes === undefined ? '' : `ulimit -f ${fileKilobytes * 2} && `;
  const child = spawn('sh', ['-c', `${limit}exec "$@"`, 'sh', process.execPath, program, ...args], {
    env: { PATH: process.env.PATH ?? '', PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const finished = new Promise<Finished>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      running.delete(child);
      resolve({ code, signal, stdout, stderr });
    });
  });
  return {
    pid: child.pid as number,
    stdout: () => stdout,
    stderr: () => stderr,
    kill: (signal) => void child.kill(signal),
    finished,
  };
}

export function runGatehouse(args: readonly string[], env: Environment = {}): Promise<Finished> {
  return startGatehouse(args, env).finished;
}

/** Starts a server on any free port and waits until it says that it is ready. */
export async function startServerProcess(env: Environment, options: ProcessOptions = {}): Promise<RunningServer> {
  const started = startGatehouse(['serve'], env, options);
  const url = await readyAt(started);
  return {
    ...started,
    url,
    as: (token) => apiFor(url, { authorization: `Bearer ${token}` }),
    stop() {
      started.kill('SIGTERM');
      return started.finished;
    },
  };
}

async function readyAt({ stdout, finished }: GatehouseProcess): Promise<string> {
  let isOver = false;
  const end = finished.then((result) => {
    isOver = true;
    return result;
  });
  while (!isOver) {
    const ready = /"address":"([^"]+)".*"Gatehouse is ready"/.exec(stdout());
    if (ready?.[1]) return ready[1];
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const { code, stdout: said, stderr } = await end;
  throw new Error(`the server did not start (${code}):\n${said}\n${stderr}`);
}

/** The lines of a log, parsed; other lines of the output are left out. */
export function logLines(text: string): Record<string, unknown>[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
}
