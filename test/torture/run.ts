import { setTimeout as pause } from 'node:timers/promises';
import { Person, type Report } from './person.ts';
import type { Instance, Place } from './place.ts';
import { type Random, seededRandom } from './random.ts';

export interface Torture {
  readonly seed: number;
  readonly seconds: number;
  /** Goes on for longer until so many calls are answered. */
  readonly answers?: number;
  readonly people: number;
  say(line: string): void;
}

export interface Outcome extends Report {
  readonly faults: Readonly<Record<string, number>>;
  /**
   * Of the first instance, which is never killed on PostgreSQL: the most in the second and in the last quarter of the
   * time.
   */
  readonly megabytes: readonly [number, number] | null;
}

type Fault = 'kill an instance' | 'restart an instance' | 'kill the database';

const isWellEverySecond = 1_000;

/**
 * Mixed load while instances and the database are killed, in an order that the seed decides; then a look at everything.
 */
export async function torture(
  place: Place,
  { seed, seconds, answers = 0, people: count, say }: Torture,
): Promise<Outcome> {
  const report: Report = { wrongs: [], answered: 0, unknown: 0, decisions: 0, databaseKills: 0 };
  const people = Array.from(
    { length: count },
    (_, number) => new Person(number, seededRandom(seed * 1_000 + number + 1), place.instances, report),
  );
  await Promise.all(people.map((person) => person.prepare()));
  const started = performance.now();
  const elapsed = () => (performance.now() - started) / 1_000;
  let isOver = false;
  const working = people.map(async (person) => {
    while (!isOver) {
      const before = report.unknown;
      await person.act();
      // Where no server answers, asking again at once would only heat the machine.
      if (report.unknown > before) await pause(50);
    }
  });
  // On SQLite the only instance is the one that is killed.
  const memory = place.killDatabase ? watchMemory(place.instances[0] as Instance, elapsed, seconds) : null;
  const faults: Record<string, number> = {};
  const random = seededRandom(seed);
  try {
    while (elapsed() < seconds || report.answered < answers) {
      // A lone server is away for as long as it takes to start.
      await pause((500 + random.below(3_000)) * (place.instances.length > 1 ? 1 : 3));
      const fault = await strike(place, random, report);
      faults[fault] = (faults[fault] ?? 0) + 1;
      const { answered, unknown, decisions, wrongs } = report;
      say(
        `${Math.round(elapsed())} s: ${fault}; ${answered} answered, ${unknown} unknown, ${decisions} checked, ${wrongs.length} wrong`,
      );
    }
  } finally {
    isOver = true;
    memory?.stop();
    await Promise.all(working);
  }
  await waitUntilWell(place.instances);
  await Promise.all(people.map((person) => person.verify()));
  return { ...report, faults, megabytes: memory?.figures() ?? null };
}

async function strike(place: Place, random: Random, report: Report): Promise<Fault> {
  const { instances, killDatabase } = place;
  const fault = random.oneOf<Fault>(['kill an instance', 'restart an instance', 'kill the database']);
  // The first stays, so that its memory can be watched; with one instance there is no choice.
  const victim = instances.length > 1 ? random.oneOf(instances.slice(1)) : (instances[0] as Instance);
  const rest = random.below(1_500);
  if (fault === 'kill the database' && killDatabase) {
    report.databaseKills += 1;
    await killDatabase();
    return fault;
  }
  await (fault === 'restart an instance' ? victim.stop() : victim.kill());
  await pause(rest);
  await victim.start();
  return fault === 'restart an instance' ? fault : 'kill an instance';
}

async function waitUntilWell(instances: readonly Instance[]): Promise<void> {
  for (const { url } of instances) {
    for (let turn = 0; ; turn++) {
      const response = await fetch(`${url}/-/health/ready/`).catch(() => null);
      if (response?.status === 200) break;
      if (turn === 60) throw new Error(`${url} is not ready a minute after the last fault`);
      await pause(isWellEverySecond);
    }
  }
}

function watchMemory({ residentMegabytes }: Instance, elapsed: () => number, seconds: number) {
  const samples: { at: number; megabytes: number }[] = [];
  const timer = setInterval(() => samples.push({ at: elapsed(), megabytes: residentMegabytes() }), 1_000);
  const most = (from: number, to: number) =>
    Math.round(
      Math.max(
        0,
        ...samples.filter(({ at }) => at >= from * seconds && at <= to * seconds).map(({ megabytes }) => megabytes),
      ),
    );
  return {
    stop: () => clearInterval(timer),
    figures: () => [most(0.25, 0.5), most(0.75, 1)] as const,
  };
}
