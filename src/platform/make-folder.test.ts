import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { makeFolder } from './make-folder.ts';

const place = mkdtempSync(join(tmpdir(), 'gatehouse-folder-'));
afterAll(() => rmSync(place, { recursive: true }));

test('a missing folder is made with those above it, for its user alone', () => {
  const path = join(place, 'a', 'b');
  makeFolder(path);
  makeFolder(path);
  expect(statSync(path).mode & 0o777).toBe(0o700);
});

test('a folder that cannot be made is an error at once, with its path and the setting', () => {
  const file = join(place, 'file');
  writeFileSync(file, '');
  for (const path of ['/proc/gatehouse/data', file, join(file, 'below')]) {
    expect(() => makeFolder(path), path).toThrow(`The data folder ${path} cannot be made (GATEHOUSE_DATA_DIR)`);
  }
});
