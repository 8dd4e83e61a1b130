import { type ChildProcess, fork, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Drive, DriveOrder } from './drive.ts';
import type { SignInOrder } from './drive-sign-ins.ts';
import type { HashOrder } from './hash-process.ts';
import type { SupplyOrder } from './oauth/drive-supply.ts';
import type { Recipe } from './recipe.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const startedWithinMs = 60_000;
const msPerTick = 10;

export interface ServerProcess {
  readonly port: number;
  /** From the start of the process to the first "ready". */
  readonly readyMs: number;
  readonly pid: number;
  residentBytes(): number;
  /** How many statements it has run so far, by its own count. */
  statements(): Promise<number>;
  stop(): Promise<void>;
}

/** What `npm start` hands to Node. */
function startArguments(): string[] {
  const { scripts } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));
  const [, given] = /^exec sh scripts\/node (.*)$/.exec(scripts.start) ?? [];
  if (given === undefined) throw new Error('`npm start` is not what it was');
  return given.split(' ');
}

export function buildBundle(): void {
  const { status } = spawnSync(process.execPath, ['scripts/bundle.mjs'], { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error('the bundle could not be built');
}

/**
 * The server as `npm start` runs it, in a process of its own. A profile is taken of the sources: it names their files.
 */
export async function startServer(
  settings: Record<string, string>,
  profileFolder: string | null = null,
): Promise<ServerProcess> {
  const port = await freePort();
  const { PATH = '', HOME = '' } = process.env;
  const profiled = ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`, 'src/main.ts', 'serve'];
  const started = performance.now();
  const child = spawn(process.execPath, profileFolder ? profiled : startArguments(), {
    cwd: root,
    env: { PATH, HOME, PORT: String(port), ...settings },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  while ((await statusOf(port, '/-/health/ready/')) !== 200) {
    const end = child.exitCode ?? child.signalCode;
    if (end !== null) throw new Error(`the server ended with ${end}`);
    if (performance.now() - started > startedWithinMs) {
      child.kill('SIGKILL');
      throw new Error('the server does not become ready');
    }
    await new Promise((resolve) => setTimeout(resolve, 3));
  }
  return {
    port,
    readyMs: performance.now() - started,
    pid: child.pid as number,
    residentBytes: () => residentBytesOf(child.pid as number),
    async statements() {
      const metrics = await bodyOf(port, '/-/metrics');
      return Number(/^gatehouse_database_statements_total (\d+)/m.exec(metrics)?.[1] ?? Number.NaN);
    },
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

export interface FloorProcess {
  readonly port: number;
  readonly pid: number;
  load(recipes: readonly Recipe[]): Promise<void>;
  stop(): Promise<void>;
}

export async function startFloor(kind: 'sqlite' | 'postgres', place: string): Promise<FloorProcess> {
  const child = forkOf('floor-process.ts', [kind, place]);
  const { port } = (await nextMessage(child)) as { port: number };
  return { port, pid: child.pid as number, load: (recipes) => ask(child, recipes), stop: () => endOf(child) };
}

export interface DriverProcess {
  drive(order: DriveOrder | SignInOrder | SupplyOrder): Promise<Drive>;
  stop(): void;
}

export function startDriver(): DriverProcess {
  const child = forkOf('driver-process.ts', []);
  return { drive: (order) => ask(child, order), stop: () => void child.kill() };
}

export interface HashProcess {
  readonly pid: number;
  hash(order: HashOrder): Promise<Drive>;
  stop(): Promise<void>;
}

/** What signing in cannot do without: the hash of a password, as the server makes it, and nothing else. */
export function startHashing(): HashProcess {
  const child = forkOf('hash-process.ts', []);
  return { pid: child.pid as number, hash: (order) => ask(child, order), stop: () => endOf(child) };
}

/** A process of the benchmark that serves requests and is asked questions. */
export interface HelperProcess<Question extends object, Answer> {
  readonly port: number;
  readonly pid: number;
  ask(question: Question): Promise<Answer>;
  stop(): Promise<void>;
}

export async function startHelper<Question extends object, Answer>(
  file: string,
  args: string[],
): Promise<HelperProcess<Question, Answer>> {
  const child = forkOf(file, args);
  const { port } = (await nextMessage(child)) as { port: number };
  return { port, pid: child.pid as number, ask: (question) => ask(child, question), stop: () => endOf(child) };
}

async function endOf(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill();
  await ended;
}

function forkOf(file: string, args: string[]): ChildProcess {
  return fork(fileURLToPath(new URL(file, import.meta.url)), args, { serialization: 'advanced' });
}

async function ask<T>(child: ChildProcess, question: object): Promise<T> {
  const answer = nextMessage(child) as Promise<{ done: T } | { error: string }>;
  child.send(question);
  const result = await answer;
  if ('error' in result) throw new Error(result.error);
  return result.done;
}

function nextMessage(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const lost = (code: number | null) => reject(new Error(`a process of the benchmark ended with ${code}`));
    child.once('exit', lost);
    child.once('message', (message) => {
      child.off('exit', lost);
      resolve(message);
    });
  });
}

function residentBytesOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
}

/** The processor time that a process has used so far, in milliseconds. */
export function cpuMsOf(pid: number): number {
  // The name in parentheses may hold spaces; after it, the 12th and 13th fields are user and system time in ticks.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * msPerTick;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The status of an answer; 0 while no process listens. */
function statusOf(port: number, path: string): Promise<number> {
  return new Promise((resolve) => {
    const request = get({ port, host: '127.0.0.1', path, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on('error', () => resolve(0));
  });
}

async function bodyOf(port: number, path: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return response.text();
}
