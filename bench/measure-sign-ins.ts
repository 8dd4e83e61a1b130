import { benchPassword } from './load.ts';
import { byTurns, type MeasuredRow, type Rounds, type Stored } from './measure.ts';
import { type DriverProcess, type ServerProcess, startHashing } from './processes.ts';
import { type BenchRow, signInFlow } from './rows.ts';

export const signInRow: BenchRow = {
  title: 'sign-in by password through the whole default flow; floor: argon2id alone',
  operation: 'flows_executor_solve',
  caller: 'nobody',
  target: 0.8,
  isList: false,
  requests: () => [],
};

/** A minute: the hash allows some 80 sign-ins a second, and V8 is not done with optimizing after the usual time. */
const warmUpRuns = 30;

/** People signing in, next to nothing but the hash of their passwords: what the rest of signing in costs. */
export async function measureSignIns(
  names: readonly string[],
  { port, pid, database }: ServerProcess & Stored,
  driver: DriverProcess,
  { seconds, rounds, connections }: Rounds,
): Promise<MeasuredRow> {
  const hashing = startHashing();
  const signIn = { flow: signInFlow, names, password: benchPassword };
  try {
    const measured = await byTurns(
      {
        name: 'server',
        pid,
        database,
        warmUpRuns,
        run: (length) => driver.drive({ signIn, port, connections, seconds: length }),
      },
      {
        name: 'argon2id',
        pid: hashing.pid,
        run: (length) => hashing.hash({ password: benchPassword, connections, seconds: length }),
      },
      { seconds, rounds },
    );
    return { captured: { row: signInRow, token: null, requests: [], recipes: [], statements: 0 }, ...measured };
  } finally {
    await hashing.stop();
  }
}
