// Which bundles of dist/ are kept: a server loads parts of its bundle, and the pages, when they are first needed.
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const mark = /^running-(\d+)$/;
/** Processes that run the sources, such as tests, show the pages of the last bundle, and leave no mark. */
const kept = 3;

/**
 * Keeps the bundle for as long as this process runs. A folder that cannot be written is passed over.
 * @param {string} home
 */
export function keepWhileRunning(home) {
  const path = join(home, `running-${process.pid}`);
  try {
    writeFileSync(path, '');
    process.once('exit', () => rmSync(path, { force: true }));
  } catch {
    // An image holds one bundle, which no build removes.
  }
}

/**
 * Removes all bundles but the last three and those that a process runs.
 * @param {string} dist
 */
export function removeOldBundles(dist) {
  const bundles = readdirSync(dist)
    .filter((name) => /^[0-9a-f]{12}$/.test(name))
    .map((name) => ({ path: join(dist, name), builtAt: statSync(join(dist, name, 'gatehouse.js')).mtimeMs }));
  bundles.sort((a, b) => b.builtAt - a.builtAt);
  for (const { path } of bundles.slice(kept)) if (!isRunning(path)) rmSync(path, { recursive: true, force: true });
}

function isRunning(home) {
  return readdirSync(home).some((name) => {
    const [, pid] = mark.exec(name) ?? [];
    return pid !== undefined && isAlive(Number(pid));
  });
}

function isAlive(pid) {
  try {
    // Signal 0 asks only.
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
