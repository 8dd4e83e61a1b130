import { generateKeyPairSync, verify } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, expect, test } from 'vitest';
import { createOAuthFloor, type FloorOrder } from './floor.ts';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

async function openFloor(order: FloorOrder) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-floor-'));
  const path = join(folder, 'floor.db');
  const floor = createOAuthFloor(privateKey, path);
  floor.load(order);
  const server = createServer(floor.handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });
  const { port } = server.address() as AddressInfo;
  const countTokens = () => new DatabaseSync(path).prepare('select count(*) as tokens from tokens').get()?.tokens;
  return { url: `http://127.0.0.1:${port}/`, countTokens };
}

test('a grant is signed and stored each time', async () => {
  const body = { access_token: 'aGVhZA.Ym9keQ.old', token_type: 'Bearer' };
  const { url, countTokens } = await openFloor({ headers: [], body, signed: ['access_token'] });
  const answers: (typeof body)[] = [];
  for (let count = 0; count < 3; count++) {
    const answer = await fetch(url, { method: 'POST', body: 'x' });
    answers.push((await answer.json()) as typeof body);
  }

  for (const { access_token, token_type } of answers) {
    const [head, claims, signature = ''] = access_token.split('.');
    const key = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;
    expect(verify('sha256', Buffer.from(`${head}.${claims}`), key, Buffer.from(signature, 'base64url'))).toBe(true);
    expect(token_type).toBe('Bearer');
  }
  expect(new Set(answers.map(({ access_token }) => access_token)).size).toBe(3);
  expect(countTokens()).toBe(3);
});

test('what gives out no tokens costs a signature and no write', async () => {
  const order = { headers: ['x-from', 'floor'], body: { sub: 'ada' }, signed: [] };
  const { url, countTokens } = await openFloor(order);
  const answer = await fetch(url);

  expect(answer.headers.get('x-from')).toBe('floor');
  expect(await answer.json()).toEqual({ sub: 'ada' });
  expect(countTokens()).toBe(0);
});
