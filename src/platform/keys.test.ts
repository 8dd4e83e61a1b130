import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createInstanceKey, loadInstanceKey, SealedSecretError } from './keys.ts';

const secret = 'a configured key of forty characters or so';
const key = createInstanceKey(secret);
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-keys-'));
});
afterAll(() => rm(folder, { recursive: true }));

test('a sealed secret opens with the same key and context, and never reads the same twice', () => {
  for (const plain of ['', 'hunter2', 'pässwörd 🔑', 'x'.repeat(100_000)]) {
    const sealed = key.box.seal(plain, 'provider.client_secret');
    expect(sealed).toMatch(/^v1:[\w-]+$/);
    expect(sealed).not.toBe(key.box.seal(plain, 'provider.client_secret'));
    expect(createInstanceKey(secret).box.open(sealed, 'provider.client_secret')).toBe(plain);
  }
});

test('another key, another context or changed text does not open', () => {
  const sealed = key.box.seal('hunter2', 'a');
  const refused = [
    () => createInstanceKey(`${secret}.`).box.open(sealed, 'a'),
    () => key.box.open(sealed, 'b'),
    () => key.box.open(`${sealed}A`, 'a'),
    () => key.box.open(`${sealed}!`, 'a'),
    () => key.box.open(` ${sealed}`, 'a'),
    () => key.box.open(sealed.replace('v1:', 'v2:'), 'a'),
    () => key.box.open(sealed.slice(0, -1), 'a'),
    () => key.box.open('', 'a'),
    () => key.box.open('v1:', 'a'),
    () => key.box.open('hunter2', 'a'),
  ];
  for (const attempt of refused) {
    expect(attempt).toThrow(SealedSecretError);
    expect(attempt).toThrow('the stored secret was sealed with another instance key or for another row');
  }
});

test('no character of a sealed secret can be changed', () => {
  const sealed = key.box.seal('hunter2', 'a');
  for (let index = 0; index < sealed.length; index++) {
    for (const other of ['A', 'B', '_', '=']) {
      if (sealed[index] === other) continue;
      expect(() => key.box.open(sealed.slice(0, index) + other + sealed.slice(index + 1), 'a')).toThrow(
        SealedSecretError,
      );
    }
  }
});

test('a hash is the same for the same text and key only', () => {
  expect(key.hash('token')).toMatch(/^[0-9a-f]{64}$/);
  expect(createInstanceKey(secret).hash('token')).toBe(key.hash('token'));
  expect(key.hash('Token')).not.toBe(key.hash('token'));
  expect(createInstanceKey(`${secret}.`).hash('token')).not.toBe(key.hash('token'));
});

test('a signature holds for its purpose, text and key only', () => {
  const signature = key.sign('session', 'abc');
  expect(key.verify('session', 'abc', signature)).toBe(true);
  expect(createInstanceKey(secret).verify('session', 'abc', signature)).toBe(true);
  expect(key.verify('session', 'abd', signature)).toBe(false);
  expect(key.verify('flow', 'abc', signature)).toBe(false);
  expect(key.verify('sessiona', 'bc', signature)).toBe(false);
  expect(key.verify('session', 'abc', '')).toBe(false);
  expect(key.verify('session', 'abc', `${signature}=`)).toBe(false);
  expect(createInstanceKey(`${secret}.`).verify('session', 'abc', signature)).toBe(false);
  expect(signature).not.toContain(key.hash('abc'));
});

test('a short key is refused in words', async () => {
  expect(() => createInstanceKey('short')).toThrow('at least 32 characters');
  await expect(loadInstanceKey({ configured: '', dataDir: folder })).rejects.toThrow('at least 32 characters');
});

test('a configured key leaves no file', async () => {
  const dataDir = join(folder, 'configured');
  const loaded = await loadInstanceKey({ configured: secret, dataDir });
  expect(loaded.hash('x')).toBe(key.hash('x'));
  await expect(stat(dataDir)).rejects.toThrow('ENOENT');
});

test('without a configured key one is made, kept for the owner only, and used again', async () => {
  const dataDir = join(folder, 'made', 'deep');
  const first = await loadInstanceKey({ dataDir });
  expect((await stat(join(dataDir, 'secret.key'))).mode & 0o777).toBe(0o600);
  expect(await readdir(dataDir)).toEqual(['secret.key']);
  const second = await loadInstanceKey({ dataDir });
  expect(second.box.open(first.box.seal('hunter2', 'a'), 'a')).toBe('hunter2');
  const elsewhere = await loadInstanceKey({ dataDir: join(folder, 'elsewhere') });
  expect(elsewhere.hash('x')).not.toBe(first.hash('x'));
});

test('instances that start at once on an empty folder agree on one key', async () => {
  const dataDir = join(folder, 'race');
  const keys = await Promise.all(Array.from({ length: 20 }, () => loadInstanceKey({ dataDir })));
  expect(new Set(keys.map((each) => each.hash('x'))).size).toBe(1);
  expect(await readdir(dataDir)).toEqual(['secret.key']);
});

test('a damaged key file stops the start and is left as it is', async () => {
  const dataDir = join(folder, 'damaged');
  await loadInstanceKey({ dataDir });
  await writeFile(join(dataDir, 'secret.key'), '\n');
  await expect(loadInstanceKey({ dataDir })).rejects.toThrow('is damaged');
  expect(await readFile(join(dataDir, 'secret.key'), 'utf8')).toBe('\n');
});
