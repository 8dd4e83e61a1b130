import type { CapturedRow } from './capture.ts';
import type { BenchDatabase } from './databases.ts';
import type { Drive } from './drive.ts';
import { cpuMsOf, type DriverProcess, type FloorProcess, type ServerProcess } from './processes.ts';

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
  /** For one request, of the process and of the database's processes that serve it. */
  readonly cpuMs: number;
}

export interface MeasuredRow {
  readonly captured: CapturedRow;
  readonly server: Figures;
  readonly floor: Figures;
  /** The median over the rounds of the server's requests per second to the floor's, each pair measured back to back. */
  readonly ratio: number;
}

type Run = Drive & { readonly cpuMs: number };

/** V8 optimizes by use: the time of a request halves within the first tens of thousands. */
const warmUp = { requests: 40_000, seconds: 2, runs: 5 };
const wholePartSeconds = 60;
export const maxWarmUpSeconds = warmUp.seconds * warmUp.runs;

/** Server and floor by turns, so that what else happens on the machine falls on both. */
export async function measureRow(
  captured: CapturedRow,
  server: Pick<ServerProcess, 'port' | 'pid'> & Stored,
  floor: FloorProcess & Stored,
  driver: DriverProcess,
  { seconds, rounds, connections }: Rounds,
): Promise<MeasuredRow> {
  const { requests, token, targets } = captured;
  // Those who take turns take equal parts.
  const part = targets && Math.floor(targets.length / (warmUp.runs + rounds));
  function driven(name: string, { port, pid, database }: Pick<ServerProcess, 'port' | 'pid'> & Stored): Side {
    let taken = 0;
    function run(length: number, id: string): Promise<Drive> {
      const order = { port, token, requests, connections, seconds: length, run: id };
      if (!targets || !part) return driver.drive(order);
      taken += part;
      // However long it takes.
      return driver.drive({ ...order, seconds: wholePartSeconds, targets: targets.slice(taken - part, taken) });
    }
    return { name, pid, database, run };
  }
  await floor.load(captured.recipes);
  return { captured, ...(await byTurns(driven('server', server), driven('floor', floor), { seconds, rounds })) };
}

export interface Stored {
  readonly database: Pick<BenchDatabase, 'cpuMs'>;
}

/** What is measured, and the process that does the work. */
export interface Side extends Partial<Stored> {
  readonly name: string;
  readonly pid: number;
  /** How long it is warmed up at most, in runs; for those whose requests take long. */
  readonly warmUpRuns?: number;
  run(seconds: number, id: string): Promise<Drive>;
}

export async function byTurns(
  server: Side,
  floor: Side,
  rounds: Pick<Rounds, 'seconds' | 'rounds'>,
): Promise<Omit<MeasuredRow, 'captured'>> {
  const [ours, floors] = (await allByTurns([server, floor], rounds)) as [Measured, Measured];
  return { server: ours.figures, floor: floors.figures, ratio: ratioOf(ours, floors) };
}

export interface Measured {
  readonly figures: Figures;
  /** Of each round, in their order. */
  readonly perSecond: readonly number[];
}

/** The median over the rounds, each pair of turns compared by itself. */
export const ratioOf = (one: Measured, other: Measured): number =>
  median(one.perSecond.map((value, round) => value / (other.perSecond[round] as number)));

/** Warms up each side, then measures all of them in each round. */
export async function allByTurns(
  sides: readonly Side[],
  { seconds, rounds }: Pick<Rounds, 'seconds' | 'rounds'>,
): Promise<Measured[]> {
  let runs = 0;
  async function once({ name, pid, database, run }: Side, length: number): Promise<Run> {
    runs += 1;
    const cpuMs = async () => cpuMsOf(pid) + ((await database?.cpuMs()) ?? 0);
    const before = await cpuMs();
    const drive = await run(length, `${Date.now().toString(36)}${name}${runs}`);
    if (drive.failure !== null) throw new Error(`${name}: ${drive.failure}`);
    return { ...drive, cpuMs: (await cpuMs()) - before };
  }

  async function warm(side: Side): Promise<void> {
    let requests = 0;
    for (let run = 0; run < (side.warmUpRuns ?? warmUp.runs) && requests < warmUp.requests; run++) {
      requests += (await once(side, warmUp.seconds)).latencies.length;
    }
  }

  for (const side of sides) await warm(side);
  const found = sides.map((): Run[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, side] of sides.entries()) found[index]?.push(await once(side, seconds));
  }
  return found.map((each) => ({ figures: figuresOf(each), perSecond: each.map(perSecondOf) }));
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
    cpuMs: sum((run) => run.cpuMs) / latencies.length,
  };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
