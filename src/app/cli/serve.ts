import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { Listener } from '../../flow/protocol-kind.ts';
import type { Config } from '../../platform/config.ts';
import { createLog, type Log } from '../../platform/log.ts';
import { logLines } from '../../platform/log-lines.ts';
import { bootstrap } from '../bootstrap/run.ts';
import { type App, composeApp } from '../compose.ts';
import { findOutgoingHold } from '../outgoing-hold.ts';
import { openWorld, type World } from '../world.ts';
import { type Command, CommandError } from './command.ts';

/** Time for requests in flight to finish at shutdown. */
const stopWithinMs = 25_000;
/** Requests that have reached this machine but were not read yet get this long to be taken up. */
const lastCallMs = 250;
/** In a terminal npm forwards Ctrl-C although the server already received it: two in quick succession count as one. */
const oneSignalMs = 500;

export const serve: Command = {
  name: 'serve',
  summary: 'Run the server (what npm start does).',
  details: `Stops cleanly on SIGTERM and SIGINT: is not ready any more, takes no new connections after GATEHOUSE_SHUTDOWN_DELAY,
finishes the requests in flight. A second signal stops it at once.`,
  options: {},
  async run({ config }) {
    const { stdout } = process;
    const log = createLog({ level: config.logLevel, ...(stdout.isTTY && { stream: logLines(stdout) }) });
    process.on('uncaughtExceptionMonitor', (error) => log.fatal({ err: error }, 'a fault ends the server'));
    const signals = listenForSignals(log);
    await tryAddress(config);
    const world = await openWorld(config, log);
    for (const warning of world.config.warnings) log.warn(warning);
    try {
      const app = await composeApp(world);
      const address = await start(app, world);
      // From here on it serves.
      const stopSignal = signals.first();
      await app.jobs.start();
      const since = await findOutgoingHold(world.db.read);
      if (since !== null) log.warn({ since }, heldBackWarning);
      log.info({ address, database: world.db.dialect.title, version: world.version }, 'Gatehouse is ready');
      log.info({ signal: await stopSignal }, 'Gatehouse is stopping');
      app.server.announceStop();
      await setTimeout(Math.max(lastCallMs, config.shutdownDelaySeconds * 1000));
      const listening = app.listeners.map((listener) => listener.close());
      await withDeadline(Promise.all([app.server.close(), ...listening, app.jobs.stop()]), log);
    } finally {
      await world.close();
    }
    log.info('Gatehouse has stopped');
    return 0;
  },
};

const heldBackWarning =
  'this database was restored: no mails, webhooks, sign-outs and syncs are sent until a superuser says on the start page that this server replaces the original';

/** Checked before a first start creates anything and prints the password and a link to this address. */
async function tryAddress({ host, port }: Config): Promise<void> {
  const server = createServer().listen({ host, port });
  try {
    await once(server, 'listening');
  } catch (error) {
    throw listenError(error, host, port);
  }
  server.close();
  await once(server, 'close');
}

async function start(app: App, world: World): Promise<string> {
  await bootstrap(world, app);
  const { host, port } = world.config;
  await startListeners(app.listeners, world.log);
  try {
    return await app.server.listen({ host, port });
  } catch (error) {
    throw listenError(error, host, port);
  }
}

export async function startListeners(listeners: readonly Listener[], log: Log): Promise<void> {
  for (const listener of listeners) {
    try {
      log.info({ address: await listener.listen() }, `${listener.name} is served`);
    } catch (error) {
      throw listenError(error, listener.host, listener.port, listener.setting);
    }
  }
}

/** Not of this machine, an unknown name, no name server, an address without its zone, no IPv6. */
const noAddress = new Set(['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL', 'EAFNOSUPPORT']);

export function listenError(error: unknown, host: string, port: number, setting = 'PORT'): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code === 'EADDRINUSE')
    return new CommandError(`Port ${port} on ${host} is taken; stop what uses it, or set ${setting} to another.`);
  if (code === 'EACCES')
    return new CommandError(`Port ${port} may not be opened by this user; set ${setting} to one above 1023.`);
  if (typeof code === 'string' && noAddress.has(code))
    return new CommandError(`${setting.replace(/S?PORT$/, 'HOST')} ${host} is not an address of this machine.`);
  return error;
}

/**
 * Before the first handler is registered, a signal ends the process: a start consists of transactions, and the first
 * process of a container gets only the signals that it listens to. A second signal ends it too.
 */
export function listenForSignals(log: Log): { first(): Promise<NodeJS.Signals> } {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  let isStarted = false;
  let firstAt: number | null = null;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (!isStarted) {
        log.info({ signal }, 'Gatehouse was stopped before it was ready');
        process.exit(0);
      }
      if (firstAt === null) {
        firstAt = performance.now();
        resolve(signal);
      } else if (performance.now() - firstAt > oneSignalMs) {
        process.exit(1);
      }
    });
  }
  return {
    first() {
      isStarted = true;
      return promise;
    },
  };
}

export async function withDeadline(closing: Promise<unknown>, log: Log): Promise<void> {
  const timer = globalThis.setTimeout(() => {
    log.warn('some requests did not finish in time; stopping all the same');
    process.exit(1);
  }, stopWithinMs);
  await closing;
  clearTimeout(timer);
}
