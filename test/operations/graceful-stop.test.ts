import { type AddressInfo, createServer } from 'node:net';
import { expect, test } from 'vitest';
import {
  firstStart,
  logLines,
  processToken,
  type RunningServer,
  startGatehouse,
  startServerProcess,
} from '../support/gatehouse-process.ts';
import { newFolder } from '../support/server.ts';
import { type RawConnection, rawConnection } from './raw-connection.ts';

const start = () => startServerProcess({ GATEHOUSE_DATA_DIR: newFolder(), ...firstStart });
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const body = JSON.stringify({ name: 'begun before the stop' });
const head = (path: string, length: number) =>
  `POST /api/v3${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${processToken}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\nExpect: 100-continue\r\n\r\n`;
const continued = /^HTTP\/1\.1 100 Continue\r\n\r\n/;

/** A request whose head the server has read: it is in flight, and waits for its body. */
async function inFlight({ url }: RunningServer, path: string, length: number): Promise<RawConnection> {
  const connection = await rawConnection(url);
  connection.write(head(path, length));
  await connection.until(continued);
  return { ...connection, closed: async () => (await connection.closed()).replace(continued, '') };
}

const isStopping = ({ stdout }: RunningServer) => expect.poll(stdout).toContain('Gatehouse is stopping');

/** What a new visitor finds. */
const knock = (url: string) =>
  rawConnection(url).then(
    ({ socket }) => {
      socket.destroy();
      return 'let in';
    },
    (error: NodeJS.ErrnoException) => error.code,
  );

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s lets a request in flight finish, refuses new ones, and exits with 0',
  async (signal) => {
    const server = await start();
    const idle = await rawConnection(server.url);
    idle.write('GET /-/health/live/ HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await idle.until(/"ok"/);
    const slow = await inFlight(server, '/core/groups/', body.length);
    slow.write(body.slice(0, 5));

    server.kill(signal);
    await idle.closed();
    await expect.poll(() => knock(server.url)).toBe('ECONNREFUSED');
    await pause(700);
    slow.write(body.slice(5));
    const answer = await slow.closed();
    expect(answer).toMatch(/^HTTP\/1\.1 201 /);
    expect(answer).toMatch(/connection: close/i);
    expect(answer).toContain('begun before the stop');

    const { code, stdout, stderr } = await server.finished;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(
      logLines(stdout)
        .map(({ msg }) => msg)
        .slice(-2),
    ).toEqual(['Gatehouse is stopping', 'Gatehouse has stopped']);
  },
);

test.each(['SIGTERM', 'SIGINT'] as const)('%s during the start ends it at once, without a fault', async (signal) => {
  const silent = createServer();
  const asked = new Promise((resolve) => silent.once('connection', resolve));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  const folder = newFolder();
  const starting = startGatehouse(['serve'], {
    ...firstStart,
    GATEHOUSE_DATA_DIR: folder,
    PORT: '0',
    DATABASE_URL: `postgres://127.0.0.1:${port}/gatehouse`,
  });
  await asked;
  starting.kill(signal);
  const { code, stdout, stderr } = await starting.finished;
  silent.close();
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(logLines(stdout).at(-1)).toMatchObject({ signal, msg: 'Gatehouse was stopped before it was ready' });
});

test('a stopping server reports that it is not ready, and still serves, before it refuses connections', async () => {
  const server = await startServerProcess({
    GATEHOUSE_DATA_DIR: newFolder(),
    GATEHOUSE_SHUTDOWN_DELAY: '3',
    ...firstStart,
  });
  const admin = server.as(processToken);
  const ready = async () => {
    const { status, body } = await admin.send('GET', '/-/health/ready/');
    return [status, body.status];
  };
  expect(await ready()).toEqual([200, 'ok']);
  server.kill('SIGTERM');
  await expect.poll(ready, { interval: 20 }).toEqual([503, 'stopping']);
  expect(await knock(server.url)).toBe('let in');
  const made = await admin.post('/core/groups/', { name: 'made while it was stopping' });
  expect([made.status, made.headers.get('connection')]).toEqual([201, 'close']);
  expect((await admin.send('GET', '/-/health/live/')).status).toBe(200);
  expect((await server.finished).code).toBe(0);
  expect(await knock(server.url)).toBe('ECONNREFUSED');
});

test('SIGTERM lets password hashing in progress finish', async () => {
  const server = await start();
  const admin = server.as(processToken);
  const { body: made } = await admin.post('/core/users/', { username: 'ada', name: 'Ada' });
  const texts = Array.from({ length: 20 }, (_, index) =>
    JSON.stringify({ password: `a new password, number ${index}` }),
  );
  const path = `/core/users/${made.pk}/set_password/`;
  const connections = await Promise.all(texts.map((text) => inFlight(server, path, text.length)));
  for (const [index, text] of texts.entries()) connections[index]?.write(text);
  server.kill('SIGTERM');
  const answers = await Promise.all(connections.map((connection) => connection.closed()));
  expect(answers).toHaveLength(20);
  for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 204 /);
  expect((await server.finished).code).toBe(0);
});

test('a second signal ends a stopping server at once', async () => {
  const server = await start();
  await inFlight(server, '/core/groups/', 1000);
  server.kill('SIGTERM');
  await isStopping(server);
  // Within half a second it would count as the same signal.
  await pause(800);
  server.kill('SIGINT');
  expect((await server.finished).code).toBe(1);
});

test('the same signal twice at once, as sent by a terminal and npm, still stops the server cleanly', async () => {
  const server = await start();
  const slow = await inFlight(server, '/core/groups/', body.length);
  server.kill('SIGINT');
  await pause(20);
  server.kill('SIGINT');
  await isStopping(server);
  await pause(200);
  slow.write(body);
  expect(await slow.closed()).toMatch(/^HTTP\/1\.1 201 /);
  expect((await server.finished).code).toBe(0);
});

test('a stopping server answers a request on an open connection, then closes the connection', async () => {
  const server = await start();
  const busy = await inFlight(server, '/core/groups/', body.length);
  server.kill('SIGTERM');
  await isStopping(server);
  busy.write(`${body}GET /-/health/live/ HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  const answer = await busy.closed();
  expect(answer).toMatch(/^HTTP\/1\.1 201 /);
  expect((await server.finished).code).toBe(0);
});
