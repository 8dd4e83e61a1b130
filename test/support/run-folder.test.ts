import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { openRunFolder } from './run-folder.ts';
import { newFolder } from './server.ts';

const names = ['TMPDIR', 'GATEHOUSE_TEST_CACHE', 'GATEHOUSE_TEST_MEMORY'];
const before = names.map((name) => [name, process.env[name]] as const);
afterEach(() => {
  for (const [name, value] of before) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
});

test('a run removes its temporary folder at the end, and at the start those of runs that were killed', async () => {
  const place = newFolder();
  const { pid } = spawnSync('true');
  const [killed, running, foreign] = [`gatehouse-run-${pid}-x`, `gatehouse-run-${process.ppid}-x`, 'gatehouse-run-x'];
  for (const name of [killed, running, foreign]) mkdirSync(join(place, name, 'gatehouse-test-x'), { recursive: true });
  process.env.TMPDIR = place;
  const remove = await openRunFolder();
  expect(readdirSync(place).filter((name) => !tmpdir().endsWith(name))).toEqual([running, foreign].sort());
  const own = process.env.GATEHOUSE_TEST_MEMORY ?? tmpdir();
  newFolder();
  expect(readdirSync(own)).toHaveLength(1);
  await remove();
  expect(existsSync(own)).toBe(false);
  expect(readdirSync(place)).toEqual([running, foreign].sort());
});
