import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { World } from '../../src/app/world.ts';
import { chunksOf } from '../../src/lib/chunks.ts';
import { randomUuid } from '../../src/platform/random.ts';
import { adminToken, withApp } from '../open-app.ts';
import type { BenchOptions } from '../options.ts';
import { startHelper } from '../processes.ts';
import type { Noted } from './target-process.ts';

const users = 10_000;
const groups = 500;
const membersEach = 20;
const changes = 20;

export interface MeasuredSync {
  readonly requests: number;
  readonly connections: number;
  readonly runMs: number;
  /** The same requests by a loop of `fetch`. */
  readonly floorMs: number;
  /** Processor time of all requests, of the server and of that loop. */
  readonly runCpuMs: number;
  readonly floorCpuMs: number;
  /** From the answer to a change until the target has its request, the median. */
  readonly latencyMs: number;
}

/** A full SCIM run and single changes, against a server in another process that answers at once. */
export async function measureSync({ databases, rounds, say }: BenchOptions): Promise<MeasuredSync> {
  const target = await startHelper<object, Noted[]>('sync/target-process.ts', []);
  const database = await databases.fresh();
  const origin = `http://127.0.0.1:${target.port}`;
  const settings = { ...database.settings, GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.0/8' };
  try {
    return await withApp({ ...database, settings }, async (world, app, url) => {
      say('Loading');
      const loaded = await load(world);
      await app.jobs.start();
      const api = caller(`${url}/api/v3`);
      const provider = await makeProvider(api, `${origin}/v2`);
      say('A full run');
      const run = await timed(async () => {
        await api('POST', '/core/applications/', { name: 'bench', slug: 'bench', backchannel_providers: [provider] });
        while ((await api('GET', `/providers/scim/${provider}/sync/status/`)).is_running) await sleep(100);
      });
      const sent = await target.ask({});
      say('The same requests by fetch');
      const floor = await timed(() => replay(origin, sent, rounds.connections));
      await target.ask({});
      say('Single changes');
      const waits: number[] = [];
      for (const pk of loaded.slice(0, changes)) {
        await api('PATCH', `/core/users/${pk}/`, { name: `Changed ${pk}` });
        const committed = Date.now();
        let got: Noted[] = [];
        while (got.length === 0) {
          await sleep(5);
          got = await target.ask({});
        }
        waits.push((got[0]?.at ?? 0) - committed);
      }
      await app.jobs.stop();
      const latencyMs = waits.sort((one, other) => one - other)[changes / 2] ?? 0;
      return {
        requests: sent.length,
        connections: rounds.connections,
        runMs: run.ms,
        floorMs: floor.ms,
        runCpuMs: run.cpuMs,
        floorCpuMs: floor.cpuMs,
        latencyMs,
      };
    });
  } finally {
    await database.drop();
    await target.stop();
  }
}

/** Server and loop both run in this process. */
async function timed(work: () => Promise<void>): Promise<{ ms: number; cpuMs: number }> {
  const [begin, cpu] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return { ms: performance.now() - begin, cpuMs: (user + system) / 1_000 };
}

async function load({ db, clock }: World): Promise<number[]> {
  const now = clock.now();
  const made: number[] = [];
  await db.write(async (tx) => {
    for (const chunk of chunksOf([...Array(users).keys()], 500)) {
      const values = chunk.map(
        (n) =>
          sql`(${randomUuid()}, ${`person-${n}`}, ${`Person Number ${n}`}, ${`person-${n}@example.com`}, '!', ${now}, ${true}, ${now}, 'users', 'internal', '{}')`,
      );
      const { rows } = await sql<{
        pk: number;
      }>`insert into users (uuid, username, name, email, password, password_change_date,
        is_active, date_joined, path, type, attributes) values ${sql.join(values)} returning pk`.execute(tx);
      made.push(...rows.map(({ pk }) => pk));
    }
    for (let number = 0; number < groups; number++) {
      const pk = randomUuid();
      await sql`insert into groups (pk, name, is_superuser, attributes) values (${pk}, ${`group-${number}`}, ${false}, '{}')`.execute(
        tx,
      );
      const members = Array.from({ length: membersEach }, (_, at) => made[(number * membersEach + at) % users]);
      await sql`insert into user_groups ("user", "group") values ${sql.join(members.map((user) => sql`(${user}, ${pk})`))}`.execute(
        tx,
      );
    }
  });
  return made;
}

// biome-ignore lint/suspicious/noExplicitAny: bodies are looked into freely
type Called = (method: string, path: string, body?: object) => Promise<any>;

const caller =
  (base: string): Called =>
  async (method, path, body) => {
    const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' };
    const answer = await fetch(base + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };

async function makeProvider(api: Called, url: string): Promise<number> {
  const { results } = await api('GET', '/propertymappings/provider/scim/');
  const managed = (name: string) =>
    results.filter((one: { managed: string }) => one.managed.endsWith(name)).map(({ pk }: { pk: string }) => pk);
  const { pk } = await api('POST', '/providers/scim/', {
    name: 'bench',
    url,
    token: 'a-token-for-benchmarks',
    property_mappings: managed('/user'),
    property_mappings_group: managed('/group'),
  });
  return pk;
}

/** A bare loop of `fetch` over as many connections. */
async function replay(origin: string, requests: readonly Noted[], connections: number): Promise<void> {
  const queue = requests.values();
  const headers = { authorization: 'Bearer a-token-for-benchmarks', 'content-type': 'application/scim+json' };
  const drain = async () => {
    for (const { method, path, body } of queue) {
      await (await fetch(origin + path, { method, headers, body })).json();
    }
  };
  await Promise.all(Array.from({ length: connections }, drain));
}
