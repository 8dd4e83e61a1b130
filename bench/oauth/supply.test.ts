import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { driveSupply } from './drive-supply.ts';
import { createTaker } from './side.ts';
import type { Supply } from './supply.ts';

const supplyOf = (count: number, isSingleUse: boolean): Supply => ({
  method: 'POST',
  path: '/token/',
  requests: Array.from({ length: count }, (_, index) => ({ authorization: 'Basic eA==', form: `code=${index}` })),
  isSingleUse,
});

async function send(supply: Supply, seconds: number) {
  const forms: string[] = [];
  const server = createServer(async (request, response) => {
    forms.push(Buffer.concat(await request.toArray()).toString());
    response.end(request.headers.authorization);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const result = await driveSupply({ supply, port, connections: 2, seconds });
  server.close();
  return { forms, result };
}

test('what is good once is sent once, and the run fails when there is no more', async () => {
  const { forms, result } = await send(supplyOf(20, true), 5);

  expect(forms.toSorted()).toEqual(
    supplyOf(20, true)
      .requests.map(({ form }) => form)
      .toSorted(),
  );
  expect(result.failure).toMatch(/used up/);
});

test('what is good for longer is sent again and again', async () => {
  const { forms, result } = await send(supplyOf(2, false), 0.1);

  expect(result.failure).toBeNull();
  expect(forms.length).toBeGreaterThan(2);
  expect(new Set(forms)).toEqual(new Set(['code=0', 'code=1']));
});

test('a turn begins where the last one ended', () => {
  const once = createTaker(supplyOf(10, true));
  expect(once.next(4).requests[0]?.form).toBe('code=0');
  once.used(3);
  expect(once.next(4).requests.map(({ form }) => form)).toEqual(['code=3', 'code=4', 'code=5', 'code=6']);

  const again = createTaker(supplyOf(10, false));
  again.used(3);
  expect(again.next(4).requests).toHaveLength(10);
});
