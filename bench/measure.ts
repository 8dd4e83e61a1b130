import type { CapturedRow } from './capture.ts';
import type { Drive } from './drive.ts';
import { type DriverProcess, type FloorProcess, processorMsOf, type ServerProcess } from './processes.ts';

export interface Rounds {
  readonly seconds: number;
  readonly rounds: number;
  readonly connections: number;
}

export interface Figures {
  readonly perSecond: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly answerBytes: number;
  /** Of the process for one request. */
  readonly processorMs: number;
}

export interface MeasuredRow {
  readonly captured: CapturedRow;
  readonly server: Figures;
  readonly floor: Figures;
  /** The median over the rounds of the server's requests per second to the floor's, each pair measured back to back. */
  readonly ratio: number;
}

type Run = Drive & { readonly processorMs: number };

const warmUpSeconds = 1;

/** Server and floor by turns, so that what else happens on the machine falls on both. */
export async function measureRow(
  captured: CapturedRow,
  server: ServerProcess,
  floor: FloorProcess,
  driver: DriverProcess,
  { seconds, rounds, connections }: Rounds,
): Promise<MeasuredRow> {
  const { requests, token } = captured;
  const driven = (name: string, { port, pid }: Pick<ServerProcess, 'port' | 'pid'>): Side => ({
    name,
    pid,
    run: (length, run) => driver.drive({ port, token, requests, connections, seconds: length, run }),
  });
  await floor.load(captured.recipes);
  return { captured, ...(await byTurns(driven('server', server), driven('floor', floor), { seconds, rounds })) };
}

/** What is measured, and the process that does the work. */
export interface Side {
  readonly name: string;
  readonly pid: number;
  run(seconds: number, id: string): Promise<Drive>;
}

export async function byTurns(
  server: Side,
  floor: Side,
  { seconds, rounds }: Pick<Rounds, 'seconds' | 'rounds'>,
): Promise<Omit<MeasuredRow, 'captured'>> {
  let runs = 0;
  async function once({ name, pid, run }: Side, length: number): Promise<Run> {
    runs += 1;
    const before = processorMsOf(pid);
    const drive = await run(length, `${Date.now().toString(36)}${name}${runs}`);
    if (drive.failure !== null) throw new Error(`${name}: ${drive.failure}`);
    return { ...drive, processorMs: processorMsOf(pid) - before };
  }

  await once(server, warmUpSeconds);
  await once(floor, warmUpSeconds);
  const ours: Run[] = [];
  const floors: Run[] = [];
  for (let round = 0; round < rounds; round++) {
    ours.push(await once(server, seconds));
    floors.push(await once(floor, seconds));
  }
  const ratios = ours.map((our, round) => perSecondOf(our) / perSecondOf(floors[round] as Run));
  return { server: figuresOf(ours), floor: figuresOf(floors), ratio: median(ratios) };
}

const perSecondOf = ({ latencies, seconds }: Drive): number => latencies.length / seconds;

function figuresOf(runs: readonly Run[]): Figures {
  const latencies = Float64Array.from(runs.flatMap((run) => [...run.latencies])).sort();
  const at = (share: number) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0;
  const sum = (of: (run: Run) => number) => runs.reduce((total, run) => total + of(run), 0);
  return {
    perSecond: median(runs.map(perSecondOf)),
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
    answerBytes: sum((run) => run.bytes) / latencies.length,
    processorMs: sum((run) => run.processorMs) / latencies.length,
  };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
