import { expect, test } from 'vitest';
import { firstStart, processToken, runGatehouse, startServerProcess } from '../support/gatehouse-process.ts';
import { newFolder } from '../support/server.ts';

test('a second server on one data folder is refused, and the first keeps running', async () => {
  const env = { GATEHOUSE_DATA_DIR: newFolder(), ...firstStart };
  const first = await startServerProcess(env);
  for (const args of [['serve'], ['migrate'], ['restore', '--from', import.meta.filename]]) {
    const second = await runGatehouse(args, { PORT: '0', ...env });
    expect(second.code).toBe(1);
    if (args[0] !== 'restore')
      expect(second.stderr).toContain(`another Gatehouse is running on the data folder ${env.GATEHOUSE_DATA_DIR}`);
  }
  const { status } = await first.as(processToken).post('/core/groups/', { name: 'still here' });
  expect(status).toBe(201);
  expect((await first.stop()).code).toBe(0);

  const next = await startServerProcess(env);
  const { body } = await next.as(processToken).get('/core/groups/?name=still+here');
  expect(body.pagination.count).toBe(1);
  await next.stop();
});

test('the data folder is unlocked after kill -9', async () => {
  const env = { GATEHOUSE_DATA_DIR: newFolder(), ...firstStart };
  const first = await startServerProcess(env);
  first.kill('SIGKILL');
  expect((await first.finished).signal).toBe('SIGKILL');
  const second = await startServerProcess(env);
  expect((await second.stop()).code).toBe(0);
});

test('the message about a port in use names the port', async () => {
  const first = await startServerProcess({ GATEHOUSE_DATA_DIR: newFolder(), ...firstStart });
  const { port } = new URL(first.url);
  const second = await runGatehouse(['serve'], { GATEHOUSE_DATA_DIR: newFolder(), ...firstStart, PORT: port });
  expect(second).toMatchObject({ code: 1 });
  expect(second.stderr).toBe(`Port ${port} on 127.0.0.1 is taken; stop what uses it, or set PORT to another.\n`);
  await first.stop();
});
