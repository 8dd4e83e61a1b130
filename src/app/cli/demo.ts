import { sql } from 'kysely';
import { isSuperuserSql } from '../../core/access/rights-sql.ts';
import type { Demo } from '../../core/kind/demo.ts';
import { issueToken } from '../../core/token/issue-token.ts';
import type { DeviceKind } from '../../flow/devices/device-kind.ts';
import { addMilliseconds } from '../../platform/clock.ts';
import type { Config } from '../../platform/config.ts';
import type { Query } from '../../platform/db/database.ts';
import { createLog } from '../../platform/log.ts';
import { randomText } from '../../platform/random.ts';
import { bootstrap } from '../bootstrap/run.ts';
import { type App, composeApp } from '../compose.ts';
import { makeApplications } from '../demo/applications.ts';
import { createDemo, type EmptyDemo } from '../demo/create-demo.ts';
import { createDemoApi } from '../demo/demo-api.ts';
import { makeOperations } from '../demo/operations.ts';
import { makeEnrolment, makeSignOutFlow } from '../demo/sign-in.ts';
import { makeUsers } from '../demo/users.ts';
import type { Kinds } from '../kinds.ts';
import { NoDatabase } from '../open-database.ts';
import { openWorld, type World } from '../world.ts';
import { type Command, CommandError } from './command.ts';

/** Any free port: the objects are made through the API. */
const loopback = { host: '127.0.0.1', port: 0 };
const tokenLifetimeMs = 10 * 60 * 1000;

export const demo: Command = {
  name: 'demo',
  summary: 'Make a small, coherent set of every resource, to look at and to try things on.',
  details: `Everything it makes is called "Demo …", and none of it lets anybody in: users have no password, sources are switched off.
A second run makes only what is missing. The server may be running.`,
  options: { force: { help: 'also in a database that is already in use' } },
  async run({ config, options }) {
    const world = await open(config);
    try {
      const app = await composeApp(world);
      try {
        await bootstrap(world, app);
        if (!options.force) await checkUnused(world);
        const made = await makeDemo(world, app, await app.server.listen(loopback));
        process.stdout.write(report(made));
        return 0;
      } finally {
        await app.server.close();
      }
    } finally {
      await world.close();
    }
  },
};

/** Runs beside a server if there is a database, otherwise like a first start. */
async function open(config: Config): Promise<World> {
  const log = createLog({ level: 'error', stream: process.stderr });
  try {
    return await openWorld(config, log, { beside: true });
  } catch (error) {
    if (error instanceof NoDatabase) return openWorld(config, log);
    throw error;
  }
}

const demoGroup = sql`select 1 from groups where name = 'Demo Company'`;

/** Whether the installation is unused: a fresh install has no events other than those of the demo. */
async function checkUnused({ db }: World): Promise<void> {
  if ((await demoGroup.execute(db.read)).rows.length > 0) return;
  const { rows } = await sql`select 1 from events limit 1`.execute(db.read);
  if (rows.length > 0)
    throw new CommandError('This database is already in use; --force makes demo data in it all the same.');
}

/** Creates missing objects through the server at this URL. Returns how many of each list or table. */
export async function makeDemo(world: World, app: App, url: string): Promise<ReadonlyMap<string, number>> {
  const { db, key, clock } = world;
  const token = randomText(60);
  const pk = await db.write(async (tx) =>
    issueToken(tx, key, {
      identifier: `demo-${randomText(12).toLowerCase()}`,
      intent: 'api',
      user: await anAdministrator(tx),
      key: token,
      expires: addMilliseconds(clock.now(), tokenLifetimeMs),
    }),
  );
  try {
    const demo = createDemo(world, app, createDemoApi(url, token));
    await makeAll(demo, app.kinds);
    return new Map([...demo.api.made(), ...demo.stored()]);
  } finally {
    await db.write((tx) => sql`delete from tokens where pk = ${pk}`.execute(tx));
  }
}

async function anAdministrator(tx: Query): Promise<number> {
  const { rows } = await sql<{ pk: number }>`select u.pk from users u where u.is_active
    and ${isSuperuserSql(sql`u.pk`)} order by u.pk limit 1`.execute(tx);
  if (!rows[0]) throw new CommandError('There is no active administrator; gatehouse recover-admin makes one.');
  return rows[0].pk;
}

async function makeAll(empty: EmptyDemo, kinds: Kinds): Promise<void> {
  const demo = { ...empty, people: await makeUsers(empty) };
  const { policyKinds, mappingKinds, transports, connectionKinds, sourceKinds, providerKinds, stageKinds } = kinds;
  for (const kind of policyKinds) await kind.demo?.(demo);
  await makeEnrolment(demo);
  await makeSignOutFlow(demo);
  for (const kind of stageKinds) await kind.demo?.(demo);
  await makeDevices(demo, kinds.deviceKinds);
  await makeApplications(demo, providerKinds);
  for (const kind of [...mappingKinds, ...transports, ...connectionKinds, ...sourceKinds]) await kind.demo?.(demo);
  await makeOperations(demo);
}

/** Unconfirmed devices: they show in lists but do not affect sign-in. */
async function makeDevices({ api }: Demo, kinds: readonly DeviceKind[]): Promise<void> {
  for (const { deviceClass, deviceResources } of kinds)
    await api.ensure(deviceResources.admin.path, { name: `Demo: ${deviceClass}` });
}

function report(made: ReadonlyMap<string, number>): string {
  if (made.size === 0) return 'The demo data is there already; nothing was made.\n';
  const lines = [...made].map(([where, count]) => `  ${String(count).padStart(3)}  ${where.replace(/^\/|\/$/g, '')}`);
  return `This is demo data; everything is called "Demo …" or "demo-…":\n${lines.join('\n')}\n`;
}
