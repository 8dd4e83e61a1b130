import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { openRunFolder } from './run-folder.ts';
import { newFolder } from './server.ts';

const { TMPDIR, GATEHOUSE_TEST_CACHE } = process.env;
afterEach(() => {
  Object.assign(process.env, { TMPDIR, GATEHOUSE_TEST_CACHE });
});

test('a run removes its temporary folder at the end, and at the start those of runs that were killed', async () => {
  const place = newFolder();
  const { pid } = spawnSync('true');
  const [killed, running, foreign] = [`gatehouse-run-${pid}-x`, `gatehouse-run-${process.ppid}-x`, 'gatehouse-run-x'];
  for (const name of [killed, running, foreign]) mkdirSync(join(place, name, 'gatehouse-test-x'), { recursive: true });
  process.env.TMPDIR = place;
  const remove = await openRunFolder();
  expect(readdirSync(place).filter((name) => !tmpdir().endsWith(name))).toEqual([running, foreign].sort());
  newFolder();
  expect(readdirSync(tmpdir())).toHaveLength(1);
  await remove();
  expect(readdirSync(place)).toEqual([running, foreign].sort());
});
