import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addMilliseconds, systemClock } from '../../src/platform/clock.ts';
import type { Database } from '../../src/platform/db/database.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { migrations } from '../../src/platform/db/migrations/all.ts';
import { openPostgres } from '../../src/platform/db/postgres/postgres.ts';
import { openSqlite } from '../../src/platform/db/sqlite/sqlite.ts';
import { type JobKind, type NewJob, PermanentFailure, type RunningJob } from '../../src/platform/jobs/job.ts';
import { countWorkers } from '../../src/platform/jobs/queue.ts';
import { createJobWorker, type JobWorker } from '../../src/platform/jobs/worker.ts';
import { createLog } from '../../src/platform/log.ts';
import { until } from '../support/jobs.ts';
import { unique } from '../support/make-walk.ts';
import { freshPostgresDatabase } from '../support/postgres.ts';
import { newFolder } from '../support/server.ts';

const postgres = await freshPostgresDatabase();
afterAll(() => postgres?.drop());

interface JobRow {
  readonly kind: string;
  readonly state: string;
  readonly attempt: number;
  readonly message: string;
}

for (const kind of ['sqlite', 'postgres'] as const) {
  describe.skipIf(kind === 'postgres' && !postgres)(`jobs (${kind})`, () => {
    let open: () => Database;
    let db: Database;
    const workers: JobWorker[] = [];

    beforeAll(async () => {
      const path = join(newFolder(), 'jobs.db');
      open = () => (kind === 'sqlite' ? openSqlite(path) : openPostgres((postgres as { url: string }).url));
      db = open();
      await migrate(db, migrations);
    });
    afterAll(async () => {
      await Promise.all(workers.map((worker) => worker.stop()));
      await db.close();
    });

    async function startWorker(kinds: readonly JobKind[], on = db, clock = systemClock): Promise<JobWorker> {
      const worker = createJobWorker({ db: on, clock, log: createLog({ level: 'fatal' }), kinds });
      workers.push(worker);
      await worker.start();
      return worker;
    }

    const jobsOf = async (name: string) =>
      (await sql<JobRow>`select kind, state, attempt, message from jobs where kind = ${name}`.execute(db.read)).rows;

    /** A kind of its own, which workers of other tests do not know. */
    const counting = (word: string, run: (job: RunningJob) => Promise<string | undefined> = async () => undefined) => {
      const name = unique(word);
      const seen: RunningJob[] = [];
      const jobKind: JobKind = {
        name,
        summary: name,
        run: (job) => {
          seen.push(job);
          return run(job);
        },
      };
      return { name, seen, jobKind };
    };

    test('runs a job once its transaction is committed, with its payload', async () => {
      const { name, seen, jobKind } = counting('committed', async () => 'well done');
      const worker = await startWorker([jobKind]);
      await db.write(async (tx) => {
        await worker.enqueue(tx, { kind: name, payload: { to: 'ada' } });
        await sleep(50);
        expect(seen).toHaveLength(0);
      });
      await until(async () => (await jobsOf(name))[0]?.state === 'done');
      expect(seen.map(({ payload }) => payload)).toEqual([{ to: 'ada' }]);
      expect(await jobsOf(name)).toEqual([{ kind: name, state: 'done', attempt: 1, message: 'well done' }]);
    });

    test('does not run a job whose transaction is rolled back', async () => {
      const { name, seen, jobKind } = counting('rolled-back');
      const worker = await startWorker([jobKind]);
      const attempt = db.write(async (tx) => {
        await worker.enqueue(tx, { kind: name });
        throw new Error('no');
      });
      await expect(attempt).rejects.toThrow('no');
      await sleep(100);
      expect(seen).toHaveLength(0);
      expect(await jobsOf(name)).toEqual([]);
    });

    test('queues only one waiting job per key', async () => {
      const { name, seen, jobKind } = counting('keyed');
      const worker = await startWorker([jobKind]);
      await db.write(async (tx) => {
        await worker.enqueue(tx, { kind: name, key: 'k' });
        await worker.enqueue(tx, { kind: name, key: 'k' });
      });
      await until(async () => (await jobsOf(name))[0]?.state === 'done');
      expect(seen).toHaveLength(1);
      await db.write((tx) => worker.enqueue(tx, { kind: name, key: 'k' }));
      await until(() => seen.length === 2);
    });

    test('queues a job of a serial kind behind the one that is running with its key', async () => {
      const running = Promise.withResolvers<undefined>();
      const { name, seen, jobKind } = counting('news', () => running.promise);
      const worker = await startWorker([{ ...jobKind, oneAtATime: true, deleteWhenDone: true }]);
      const enqueue = () => db.write((tx) => worker.enqueue(tx, { kind: name, key: 'news' }));
      await enqueue();
      await until(async () => seen.length === 1);
      await enqueue();
      await enqueue();
      expect((await jobsOf(name)).map(({ state }) => state).sort()).toEqual(['queued', 'running']);
      running.resolve(undefined);
      await until(async () => seen.length === 2 && (await jobsOf(name)).length === 0);
    });

    test('retries a failed job later, and gives up at once on a permanent failure', async () => {
      const { name: failing, jobKind } = counting('failing', async () => {
        throw new Error('the receiver is away');
      });
      const { name: hopeless, jobKind: hopelessKind } = counting('hopeless', async () => {
        throw new PermanentFailure('there is no such receiver');
      });
      const before = systemClock.now();
      const worker = await startWorker([jobKind, hopelessKind]);
      await db.write(async (tx) => {
        await worker.enqueue(tx, { kind: failing });
        await worker.enqueue(tx, { kind: hopeless });
      });
      await until(
        async () => (await jobsOf(failing))[0]?.message !== '' && (await jobsOf(hopeless))[0]?.state === 'failed',
      );
      expect(await jobsOf(failing)).toEqual([
        { kind: failing, state: 'queued', attempt: 1, message: 'the receiver is away' },
      ]);
      const { rows } = await sql<{ run_at: string }>`select run_at from jobs where kind = ${failing}`.execute(db.read);
      expect((rows[0] as { run_at: string }).run_at > addMilliseconds(before, 2_000)).toBe(true);
    });

    test('retries the job of a worker that died', async () => {
      const { name, seen, jobKind } = counting('orphan');
      const worker = await startWorker([jobKind]);
      const past = addMilliseconds(systemClock.now(), -1_000);
      await db.write(async (tx) => {
        await worker.enqueue(tx, { kind: name });
        await sql`update jobs set state = 'running', worker = 'dead', attempt = 1, lease_until = ${past} where kind = ${name}`.execute(
          tx,
        );
      });
      await until(() => seen.length === 1);
      expect(seen[0]?.attempt).toBe(2);
    });

    // SQLite has one host, and so one clock.
    if (kind === 'postgres')
      test('leaves a job to its worker although the clock of another host differs', async () => {
        const { promise, resolve } = Promise.withResolvers<undefined>();
        const { name, seen, jobKind } = counting('leased', () => promise);
        const worker = await startWorker([jobKind]);
        await db.write((tx) => worker.enqueue(tx, { kind: name }));
        await until(() => seen.length === 1);
        const other = openOther();
        let statements = 0;
        other.onStatement(() => {
          statements += 1;
        });
        await startWorker([jobKind], other, { now: () => addMilliseconds(systemClock.now(), 3_600_000) });
        await sleep(1_000);
        // It neither takes the job nor asks for it again and again.
        expect(seen).toHaveLength(1);
        expect(statements).toBeLessThan(30);
        resolve(undefined);
        await until(async () => (await jobsOf(name))[0]?.state === 'done');
      });

    test('runs jobs of a serial kind one after the other, that of a dead worker among them', async () => {
      let now = 0;
      let most = 0;
      const { name, seen, jobKind } = counting('alone', async () => {
        now += 1;
        most = Math.max(most, now);
        await sleep(20);
        now -= 1;
        return undefined;
      });
      const kinds = [{ ...jobKind, oneAtATime: true }];
      const worker = await startWorker(kinds);
      if (kind === 'postgres') await startWorker(kinds, openOther());
      await db.write(async (tx) => {
        await worker.enqueue(tx, { kind: name });
        const past = addMilliseconds(systemClock.now(), -1_000);
        await sql`update jobs set state = 'running', worker = 'dead', attempt = 1, lease_until = ${past} where kind = ${name}`.execute(
          tx,
        );
        for (let count = 0; count < 4; count += 1) await worker.enqueue(tx, { kind: name });
      });
      await until(() => seen.length === 5);
      expect(most).toBe(1);
    });

    test('runs each of many jobs exactly once, over several workers', async () => {
      const { name, seen, jobKind } = counting('many');
      const worker = await startWorker([jobKind]);
      if (kind === 'postgres') await startWorker([jobKind], openOther());
      await db.write(async (tx) => {
        for (let count = 0; count < 60; count += 1) await worker.enqueue(tx, { kind: name, payload: count });
      });
      await until(async () => (await jobsOf(name)).every(({ state }) => state === 'done'));
      expect(new Set(seen.map(({ payload }) => payload)).size).toBe(60);
      expect(seen).toHaveLength(60);
    });

    test('runs a scheduled job repeatedly', async () => {
      const { seen, jobKind } = counting('tick');
      await startWorker([{ ...jobKind, everyMs: 30 }]);
      await until(() => seen.length >= 3);
      expect(seen.map(({ attempt }) => attempt).slice(0, 3)).toEqual([1, 1, 1]);
    });

    test('runs a schedule again whose next run was lost', async () => {
      const { name, seen, jobKind } = counting('lost');
      await startWorker([{ ...jobKind, everyMs: 50 }]);
      await until(() => seen.length > 0);
      await db.write((tx) => sql`delete from jobs where kind = ${name}`.execute(tx));
      const before = seen.length;
      await until(() => seen.length >= before + 3);
    });

    /** A kind whose jobs run until they are released, and how many run at once. */
    const blocking = (word: string) => {
      const release = Promise.withResolvers<undefined>();
      const count = { running: 0, most: 0 };
      const { name, seen, jobKind } = counting(word, async () => {
        count.running += 1;
        count.most = Math.max(count.most, count.running);
        await release.promise;
        count.running -= 1;
        return undefined;
      });
      return { name, seen, jobKind, count, release: () => release.resolve(undefined) };
    };
    const enqueueMany = (worker: JobWorker, count: number, job: NewJob) =>
      db.write(async (tx) => {
        for (let number = 0; number < count; number += 1) await worker.enqueue(tx, job);
      });

    test('runs urgent jobs at once although many others wait', async () => {
      const bulk = blocking('bulk');
      const normal = blocking('normal');
      const { name, seen, jobKind } = counting('urgent');
      const worker = await startWorker([
        { ...bulk.jobKind, lane: 'bulk' },
        normal.jobKind,
        { ...jobKind, lane: 'urgent' },
      ]);
      await enqueueMany(worker, 10, { kind: bulk.name });
      await until(() => bulk.count.running === 2);
      await enqueueMany(worker, 10, { kind: normal.name });
      await until(() => normal.count.running === 1);
      await enqueueMany(worker, 3, { kind: name });
      await until(() => seen.length === 3);
      expect([bulk.count.most, normal.count.most]).toEqual([2, 1]);
      bulk.release();
      normal.release();
      await until(() => bulk.seen.length === 10 && normal.seen.length === 10);
      expect(bulk.count.most).toBeLessThanOrEqual(2);
      expect(normal.count.most).toBeLessThanOrEqual(3);
    });

    test('runs jobs of one receiver one after the other, beside those of another', async () => {
      const slow = blocking('slow');
      const { name, seen, jobKind } = counting('fast');
      const worker = await startWorker([slow.jobKind, jobKind]);
      await enqueueMany(worker, 4, { kind: slow.name, alone: `${name} one` });
      await until(() => slow.count.running === 1);
      await enqueueMany(worker, 4, { kind: name, alone: `${name} another` });
      await until(() => seen.length === 4);
      expect(slow.count.most).toBe(1);
      slow.release();
      await until(() => slow.seen.length === 4);
      expect(slow.count.most).toBe(1);
    });

    test('holds back jobs that call other systems, and runs them once they are released', async () => {
      const outgoing = counting('outgoing');
      const { name, seen, jobKind } = counting('inside');
      let isHeldBack = true;
      const worker = createJobWorker({
        ...{ db, clock: systemClock, log: createLog({ level: 'fatal' }) },
        kinds: [{ ...outgoing.jobKind, isOutgoing: true }, jobKind],
        isHeldBack: async () => isHeldBack,
      });
      workers.push(worker);
      await worker.start();
      await enqueueMany(worker, 1, { kind: outgoing.name });
      await enqueueMany(worker, 1, { kind: name });
      await until(() => seen.length === 1);
      expect(outgoing.seen).toHaveLength(0);
      isHeldBack = false;
      await db.write((tx) => worker.wakeAfterCommit(tx));
      await until(() => outgoing.seen.length === 1);
    });

    test('counts the workers of all instances', async () => {
      const { jobKind } = counting('counted');
      const before = await countWorkers(db, systemClock.now());
      const worker = await startWorker([jobKind], kind === 'postgres' ? openOther() : db);
      if (kind === 'sqlite') return expect(before).toBe(1);
      await until(async () => (await countWorkers(db, systemClock.now())) === before + 1);
      await worker.stop();
      expect(await countWorkers(db, systemClock.now())).toBe(before);
    });

    // PostgreSQL keeps the time for all hosts.
    if (kind === 'sqlite') {
      test('does not run a job twice when the clock steps on', async () => {
        const job = blocking('stepping');
        const next = counting('next');
        let offset = 0;
        const clock = { now: () => addMilliseconds(systemClock.now(), offset) };
        const worker = await startWorker([job.jobKind, next.jobKind], db, clock);
        await enqueueMany(worker, 1, { kind: job.name });
        await until(() => job.count.running === 1);
        offset = 2 * 3_600_000;
        await enqueueMany(worker, 1, { kind: next.name });
        await until(() => next.seen.length === 1);
        await sleep(200);
        expect(job.seen).toHaveLength(1);
        job.release();
      });

      test('runs a schedule that was queued while the clock was ahead', async () => {
        const { seen, jobKind } = counting('ahead');
        let offset = 24 * 3_600_000;
        const clock = { now: () => addMilliseconds(systemClock.now(), offset) };
        await startWorker([{ ...jobKind, everyMs: 300 }], db, clock);
        offset = 0;
        await until(() => seen.length > 0);
      });
    }

    const others: Database[] = [];
    function openOther(): Database {
      const other = open();
      others.push(other);
      return other;
    }
    afterAll(async () => {
      for (const other of others) await other.close();
    });
  });
}
