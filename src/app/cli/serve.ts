import { createLog, type Log } from '../../platform/log.ts';
import { prepareDatabase } from '../bootstrap/run.ts';
import { composeApp } from '../compose.ts';
import { openWorld } from '../world.ts';
import type { Command } from './command.ts';

/** Requests in flight get this long to finish once the server is told to stop. */
const stopWithinMs = 25_000;

export const serve: Command = {
  name: 'serve',
  summary: 'Run the server (what npm start does).',
  details: 'Stops cleanly on SIGTERM and SIGINT: takes no new requests, finishes those in flight.',
  options: {},
  async run({ config }) {
    const log = createLog({ level: config.logLevel });
    for (const warning of config.warnings) log.warn(warning);
    const world = await openWorld(config, log);
    const app = await composeApp(world);
    await prepareDatabase(world, app);
    const address = await app.server.listen({ host: config.host, port: config.port });
    log.info({ address, database: world.db.dialect.name, version: world.version }, 'Gatehouse is ready');
    const signal = await signalled();
    log.info({ signal }, 'Gatehouse is stopping');
    await withDeadline(app.server.close(), log);
    await world.close();
    return 0;
  },
};

function signalled(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, resolve);
  });
}

async function withDeadline(closing: Promise<unknown>, log: Log): Promise<void> {
  const timer = setTimeout(() => {
    log.warn('some requests did not finish in time; stopping all the same');
    process.exit(1);
  }, stopWithinMs);
  await closing;
  clearTimeout(timer);
}
