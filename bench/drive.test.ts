import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createAnswerReader, drive } from './drive.ts';

test('an answer is whole when its last byte is there, however it is cut', () => {
  const answer = Buffer.from('HTTP/1.1 201 Created\r\nContent-Length: 5\r\n\r\nhello');
  for (let cut = 1; cut < answer.length; cut++) {
    const read = createAnswerReader();
    expect(read(answer.subarray(0, cut))).toBeNull();
    expect(read(answer.subarray(cut))).toMatchObject({ status: 201, bytes: 5 });
  }
});

test('an answer without a body is whole after its head', () => {
  expect(createAnswerReader()(Buffer.from('HTTP/1.1 204 No Content\r\nallow: GET\r\n\r\n'))).toMatchObject({
    status: 204,
  });
});

test('every request is counted, and new names are new', async () => {
  const names = new Set<string>();
  let requests = 0;
  const server = createServer(async (request, response) => {
    requests += 1;
    names.add(JSON.parse(Buffer.concat(await request.toArray()).toString()).name);
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const order = { port, token: 't', connections: 3, seconds: 0.1, run: 'r' };
  const result = await drive({ ...order, requests: [{ method: 'POST', path: '/', body: { name: 'n-{unique}' } }] });
  server.close();

  expect(result.failure).toBeNull();
  expect(result.latencies.length).toBe(requests);
  expect(names.size).toBe(requests);
});

test('each target gets one request, and the last ends the run', async () => {
  const paths: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url);
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const order = { port, token: 't', connections: 2, seconds: 60, run: 'r', targets: [5, 6, 7] };
  await drive({ ...order, requests: [{ method: 'DELETE', path: '/{target}/' }] });
  server.close();

  expect(paths.toSorted()).toEqual(['/5/', '/6/', '/7/']);
});

test('stops at the first answer that is no success and tells it', async () => {
  const server = createServer((_request, response) => response.writeHead(403, { 'content-length': 2 }).end('no'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const order = { port, token: 't', connections: 1, seconds: 5, run: 'r' };
  const result = await drive({ ...order, requests: [{ method: 'GET', path: '/' }] });
  server.close();

  expect(result.failure).toMatch(/403/);
  expect(result.seconds).toBeLessThan(4);
});
