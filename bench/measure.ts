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

type Measured = Pick<ServerProcess, 'port' | 'pid'>;
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
  let runs = 0;
  async function run(name: string, { port, pid }: Measured, length: number): Promise<Run> {
    runs += 1;
    const { requests, token } = captured;
    const id = `${Date.now().toString(36)}${name}${runs}`;
    const before = processorMsOf(pid);
    const drive = await driver.drive({ port, token, requests, connections, seconds: length, run: id });
    if (drive.failure !== null) throw new Error(`${captured.row.title}, ${name}: ${drive.failure}`);
    return { ...drive, processorMs: processorMsOf(pid) - before };
  }

  await floor.load(captured.recipes);
  await run('server', server, warmUpSeconds);
  await run('floor', floor, warmUpSeconds);
  const ours: Run[] = [];
  const floors: Run[] = [];
  for (let round = 0; round < rounds; round++) {
    ours.push(await run('server', server, seconds));
    floors.push(await run('floor', floor, seconds));
  }
  const ratios = ours.map((our, round) => perSecondOf(our) / perSecondOf(floors[round] as Run));
  return { captured, server: figuresOf(ours), floor: figuresOf(floors), ratio: median(ratios) };
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
