import { expect, test } from 'vitest';
import { firstStart, logLines, processToken, startServerProcess } from '../support/gatehouse-process.ts';
import { newFolder } from '../support/server.ts';
import { rawConnection } from './raw-connection.ts';

const start = () => startServerProcess({ GATEHOUSE_DATA_DIR: newFolder(), ...firstStart });
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const body = JSON.stringify({ name: 'begun before the stop' });
const head = (path: string, length: number) =>
  `POST /api/v3${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${processToken}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;

/** What somebody finds who comes anew. */
const knock = (url: string) =>
  rawConnection(url).then(
    ({ socket }) => {
      socket.destroy();
      return 'let in';
    },
    (error: NodeJS.ErrnoException) => error.code,
  );

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s lets a request in flight finish, takes no new ones, and exits with 0',
  { timeout: 30_000 },
  async (signal) => {
    const server = await start();
    const idle = await rawConnection(server.url);
    idle.write('GET /-/health/live/ HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await idle.until(/"ok"/);
    const slow = await rawConnection(server.url);
    slow.write(head('/core/groups/', body.length) + body.slice(0, 5));
    await pause(100);

    server.kill(signal);
    await idle.closed();
    await expect.poll(() => knock(server.url), { timeout: 5_000 }).toBe('ECONNREFUSED');
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

test('passwords that are being hashed are finished too', { timeout: 30_000 }, async () => {
  const server = await start();
  const admin = server.as(processToken);
  const { body: made } = await admin.post('/core/users/', { username: 'ada', name: 'Ada' });
  const connections = await Promise.all(Array.from({ length: 20 }, () => rawConnection(server.url)));
  for (const [index, connection] of connections.entries()) {
    const text = JSON.stringify({ password: `a new password, number ${index}` });
    connection.write(head(`/core/users/${made.pk}/set_password/`, text.length) + text);
  }
  // Whatever was sent before has been read once this is answered.
  await fetch(`${server.url}/-/health/live/`);
  server.kill('SIGTERM');
  const answers = await Promise.all(connections.map((connection) => connection.closed()));
  for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 204 /);
  expect((await server.finished).code).toBe(0);
});

test('a second signal ends it at once', { timeout: 30_000 }, async () => {
  const server = await start();
  const slow = await rawConnection(server.url);
  slow.write(head('/core/groups/', 1000));
  await pause(100);
  server.kill('SIGTERM');
  await pause(800);
  const before = performance.now();
  server.kill('SIGINT');
  expect((await server.finished).code).toBe(1);
  expect(performance.now() - before).toBeLessThan(2_000);
});

test('the same signal twice at once, as a terminal and npm send it, still stops cleanly', {
  timeout: 30_000,
}, async () => {
  const server = await start();
  const slow = await rawConnection(server.url);
  slow.write(head('/core/groups/', body.length) + body.slice(0, 5));
  await pause(100);
  server.kill('SIGINT');
  await pause(20);
  server.kill('SIGINT');
  await pause(200);
  slow.write(body.slice(5));
  expect(await slow.closed()).toMatch(/^HTTP\/1\.1 201 /);
  expect((await server.finished).code).toBe(0);
});

test('a request that comes over an open connection while it stops is served, and the connection closed', {
  timeout: 30_000,
}, async () => {
  const server = await start();
  const busy = await rawConnection(server.url);
  busy.write(head('/core/groups/', body.length) + body.slice(0, 5));
  await pause(100);
  server.kill('SIGTERM');
  await pause(200);
  busy.write(`${body.slice(5)}GET /-/health/live/ HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  const answer = await busy.closed();
  expect(answer).toMatch(/^HTTP\/1\.1 201 /);
  expect((await server.finished).code).toBe(0);
});
