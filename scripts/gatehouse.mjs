#!/usr/bin/env node
// The start of `npm start`, `npm run gatehouse` and the package's bin: finds a Node that is new enough, brings the
// bundle up to date and runs it in this process. Plain JavaScript, because an old Node must get as far as the message.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import * as module from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

if (Number.parseInt(process.versions.node, 10) < 24) runOnBundledNode();
else await run();

async function run() {
  const { findBundle, noBundler } = await import('./bundle.mjs');
  const { keepWhileRunning } = await import('./old-bundles.mjs');
  let entry = findBundle(root);
  if (!entry) {
    // In a process of its own: the bundler would leave 400 MB behind in the server.
    const build = spawnSync(process.execPath, [join(root, 'scripts', 'bundle.mjs')], { stdio: ['ignore', 2, 2] });
    if (build.status === noBundler) {
      console.error(
        'There is no bundler for this platform: running the sources as they are, which starts slower and has no web pages.',
      );
      return import(pathToFileURL(join(root, 'src', 'main.ts')).href);
    }
    entry = findBundle(root);
    if (build.status !== 0 || !entry) process.exit(build.status || 1);
  }
  keepWhileRunning(dirname(entry));
  // V8 keeps its compiled code beside the bundle: a third less start time. A folder that cannot be written is passed
  // over.
  module.enableCompileCache(join(dirname(entry), 'cache'));
  module.setSourceMapsSupport(true, { nodeModules: false });
  return import(pathToFileURL(entry).href);
}

function runOnBundledNode() {
  const node = join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
  if (!existsSync(node)) {
    console.error(`Gatehouse needs Node 24 or later; this is ${process.version}.`);
    process.exit(1);
  }
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    console.error(`Gatehouse needs Node 24 or later; this is ${process.version}, and ${node} fails: ${error.message}`);
    process.exit(1);
  });
  child.on('exit', (code) => process.exit(code ?? 1));
}
