import type { Listener } from '../../flow/protocol-kind.ts';
import { createLog } from '../../platform/log.ts';
import { logLines } from '../../platform/log-lines.ts';
import { composeOutpost, type OutpostProcess } from '../outpost-process.ts';
import { version } from '../version.ts';
import { type Command, CommandError } from './command.ts';
import { listenError, listenForSignals, startListeners, withDeadline } from './serve.ts';

export const outpost: Command = {
  name: 'outpost',
  summary: 'Serve forward auth, LDAP or RADIUS near the applications, for a server elsewhere.',
  details: `Needs the token of the outpost in GATEHOUSE_TOKEN; reads HOST, PORT, GATEHOUSE_TRUSTED_PROXIES and GATEHOUSE_OUTBOUND_ALLOW,
for outposts of the types ldap and radius GATEHOUSE_LDAP_PORT, GATEHOUSE_LDAPS_PORT and GATEHOUSE_RADIUS_PORT.
Keeps no data: the server decides about each request.`,
  options: {
    server: { value: 'url', required: true, help: 'the address of the server, such as https://id.example.com' },
  },
  async run({ config, options }) {
    const server = readServer(String(options.server));
    const { outpostToken: token, host, port } = config;
    if (token === null) throw new CommandError('gatehouse outpost needs the token of the outpost in GATEHOUSE_TOKEN.');
    const { stdout } = process;
    const log = createLog({ level: config.logLevel, ...(stdout.isTTY && { stream: logLines(stdout) }) });
    const signals = listenForSignals(log);
    const running = composeOutpost(config, log, { server, token });
    const { link } = running;
    await link.report();
    if (link.state === 'refused')
      throw new CommandError(`${server} refuses the token: GATEHOUSE_TOKEN has to be that of an outpost.`);
    const opened: Listener[] = [];
    try {
      const address = await running.server.listen({ host, port }).catch((error: unknown) => {
        throw listenError(error, host, port);
      });
      link.start();
      const stopSignal = signals.first();
      // A server that cannot be reached yet is waited for.
      const type = await Promise.race([running.type, stopSignal.then(() => null)]);
      if (type !== null) {
        opened.push(...listenersOf(running, type));
        await startListeners(opened, log);
        log.info({ address, server, type, version }, 'the outpost is ready');
      }
      const otherType = running.otherType.then((other) => {
        throw new CommandError(`The outpost is of type ${other} now: start its process again.`);
      });
      log.info({ signal: await Promise.race([stopSignal, otherType]) }, 'the outpost is stopping');
    } finally {
      running.server.announceStop();
      await withDeadline(Promise.all([running.server.close(), ...opened.map((listener) => listener.close())]), log);
      await link.close();
    }
    return 0;
  },
};

function listenersOf(running: OutpostProcess, type: string): readonly Listener[] {
  const listeners = running.listeners(type);
  if (listeners.length > 0 || type === 'proxy') return listeners;
  const settings: Readonly<Record<string, string>> = {
    ldap: 'GATEHOUSE_LDAP_PORT or GATEHOUSE_LDAPS_PORT',
    radius: 'GATEHOUSE_RADIUS_PORT',
  };
  throw new CommandError(
    settings[type]
      ? `The outpost is of type ${type}: set ${settings[type]}.`
      : `The outpost is of type ${type}, which this version does not serve.`,
  );
}

function readServer(text: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '' || url.pathname !== '/')
    throw new CommandError('--server needs the address of the server, such as https://id.example.com.', 2);
  return url.origin;
}
