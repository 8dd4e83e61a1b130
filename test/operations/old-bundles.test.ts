import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newFolder } from '../support/server.ts';

const module = new URL('../../scripts/old-bundles.mjs', import.meta.url).href;
const script = (code: string) => ['--input-type=module', '-e', `import * as bundles from '${module}'; ${code}`];

/** Bundles that were built one minute after the other. */
function makeBundles(count: number): string {
  const dist = newFolder();
  for (let at = 0; at < count; at += 1) {
    const home = join(dist, String(at).padStart(12, '0'));
    mkdirSync(home);
    writeFileSync(join(home, 'gatehouse.js'), '');
    utimesSync(join(home, 'gatehouse.js'), at * 60, at * 60);
  }
  return dist;
}

const namesIn = (dist: string) => readdirSync(dist).map(Number).toSorted();
const remove = (dist: string) =>
  execFileSync(process.execPath, script(`bundles.removeOldBundles(${JSON.stringify(dist)})`));

async function run(home: string): Promise<ChildProcess> {
  const code = `bundles.keepWhileRunning(${JSON.stringify(home)}); setInterval(() => {}, 1000); console.log('runs');
    process.on('SIGTERM', () => process.exit(0));`;
  const child = spawn(process.execPath, script(code), { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout ?? child, 'data');
  return child;
}

test('a build keeps the last three bundles and those that a process runs', async () => {
  const dist = makeBundles(6);
  const stopped = await run(join(dist, '000000000000'));
  const killed = await run(join(dist, '000000000001'));
  const running = await run(join(dist, '000000000002'));
  try {
    remove(dist);
    expect(namesIn(dist)).toEqual([0, 1, 2, 3, 4, 5]);
    for (const [child, signal] of [
      [stopped, 'SIGTERM'],
      [killed, 'SIGKILL'],
    ] as const) {
      child.kill(signal);
      await once(child, 'exit');
    }
    expect(readdirSync(join(dist, '000000000000'))).toEqual(['gatehouse.js']);
    remove(dist);
    expect(namesIn(dist)).toEqual([2, 3, 4, 5]);
  } finally {
    running.kill('SIGKILL');
  }
});
