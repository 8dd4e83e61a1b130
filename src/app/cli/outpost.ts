import { createLog } from '../../platform/log.ts';
import { logLines } from '../../platform/log-lines.ts';
import { composeOutpost } from '../outpost-process.ts';
import { version } from '../version.ts';
import { type Command, CommandError } from './command.ts';
import { listenError, listenForSignals, withDeadline } from './serve.ts';

export const outpost: Command = {
  name: 'outpost',
  summary: 'Serve forward auth near the applications, for a server elsewhere.',
  details: `Needs the token of the outpost in GATEHOUSE_TOKEN; reads HOST, PORT, GATEHOUSE_TRUSTED_PROXIES and GATEHOUSE_OUTBOUND_ALLOW.
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
    if (link.type !== null && link.type !== 'proxy')
      throw new CommandError(
        `The outpost is of type ${link.type}; only those of type proxy run as processes of their own.`,
      );
    const address = await running.server.listen({ host, port }).catch((error: unknown) => {
      throw listenError(error, host, port);
    });
    link.start();
    log.info({ address, server, version }, 'the outpost is ready');
    log.info({ signal: await signals.first() }, 'the outpost is stopping');
    running.server.announceStop();
    await withDeadline(running.server.close(), log);
    await link.close();
    return 0;
  },
};

function readServer(text: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '' || url.pathname !== '/')
    throw new CommandError('--server needs the address of the server, such as https://id.example.com.', 2);
  return url.origin;
}
