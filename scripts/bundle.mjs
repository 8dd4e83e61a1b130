// Bundles src/ into dist/<fingerprint>/: `gatehouse.js` is our code with its source map, `packages*.js` what it uses of
// node_modules. Files of their own, because a source map over the packages would cost 100 MB and 0.3 s at the first
// stack trace. The pages of web/ go into `web/` beside them; with `--smallest` as small as they get, which takes 7 s
// longer.
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWeb } from './bundle-web.mjs';
import { removeOldBundles } from './old-bundles.mjs';

/** The exit code that says: the bundler has no build for this platform. */
export const noBundler = 3;

// These carry native code, WebAssembly or data files beside their modules, so they are loaded from node_modules.
const external = [/^@node-rs\//, /^quickjs-wasi/, /^@ip-location-db\//, /^uap-core/, 'pg-native'];

// Needed by passkeys and to make certificates, and only then loaded: in one file with the other packages they would run
// at every start.
const webauthn =
  /[\\/]node_modules[\\/](@simplewebauthn|@peculiar|@hexagon|@levischuck|asn1js|pvtsutils|pvutils|reflect-metadata|tsyringe)[\\/]/;

/**
 * The bundle of the sources as they are now, or null when it has yet to be built.
 * @param {string} root
 * @returns {string | null}
 */
export function findBundle(root) {
  const dist = join(root, 'dist');
  if (existsSync(join(root, 'src'))) {
    const entry = join(dist, fingerprintOf(root), 'gatehouse.js');
    return existsSync(entry) ? entry : null;
  }
  // An image without the sources holds just the one bundle that was made for it.
  const built = readdirSync(dist).find((name) => existsSync(join(dist, name, 'gatehouse.js')));
  if (!built) throw new Error(`${dist} holds no bundle, and there are no sources to make one from`);
  return join(dist, built, 'gatehouse.js');
}

/** Names, sizes and times of everything the bundle is made from: a few milliseconds, and it sees deletions too. */
function fingerprintOf(root) {
  const hash = createHash('sha256');
  const add = (path) => {
    const { size, mtimeMs } = statSync(path);
    hash.update(`${relative(root, path)}\0${size}\0${mtimeMs}\n`);
  };
  for (const path of ['package-lock.json', 'scripts/bundle.mjs', 'scripts/bundle-web.mjs']) add(join(root, path));
  for (const folder of ['src', 'web']) {
    const sources = readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile() && !file.name.endsWith('.test.ts'))
      .map((file) => join(file.parentPath, file.name));
    for (const path of sources.sort()) add(path);
  }
  return hash.digest('hex').slice(0, 12);
}

/** Builds the files of one bundle; `home` is where they will stand, for the paths in the source map. */
async function bundle({ rolldown }, root, home) {
  const build = await rolldown({
    input: { gatehouse: join(root, 'src', 'main.ts') },
    cwd: root,
    platform: 'node',
    external,
    onLog(level, log, defaultHandler) {
      if (log.message.includes('node_modules')) return;
      if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message);
      defaultHandler(level, log);
    },
  });
  try {
    const { output } = await build.generate({
      dir: home,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: '[name].js',
      sourcemap: true,
      // Names stay whole for stack traces; only white space goes.
      minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
      codeSplitting: {
        groups: [
          { name: 'packages-webauthn', test: webauthn, priority: 1 },
          { name: 'packages', test: /[\\/]node_modules[\\/]/ },
        ],
      },
    });
    return output
      .filter((file) => !/^packages.*\.map$/.test(file.fileName))
      .map((file) => ({ name: file.fileName, text: file.type === 'chunk' ? file.code : file.source }))
      .map(({ name, text }) => ({ name, text: name.startsWith('packages') ? withoutSourceMapLink(text) : text }));
  } finally {
    await build.close();
  }
}

function withoutSourceMapLink(code) {
  return code.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n');
}

/**
 * Moves the files into place in one step, so that two starts at the same time never run half of each other's bundle.
 */
function place(files, home) {
  const draft = `${home}-${process.pid}`;
  try {
    mkdirSync(join(draft, 'web'), { recursive: true });
    for (const { name, text } of files) writeFileSync(join(draft, name), text);
    renameSync(draft, home);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    // Another start was quicker; its files are the same.
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  }
}

/** Before half a minute of work whose result could not be kept. */
function makeWritable(folder) {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw new Error(`${error.message}. Build it once as the owner of this checkout: npm run build`);
  }
}

async function build(root, options) {
  const existing = findBundle(root);
  if (existing) {
    // A server that runs from its sources shows the pages of the folder that was touched last.
    utimesSync(dirname(existing), new Date(), new Date());
    console.log(`${relative(root, existing)} is up to date`);
    return 0;
  }
  const started = performance.now();
  const rolldown = await import('rolldown').catch(() => null);
  if (!rolldown) return noBundler;

  const dist = join(root, 'dist');
  makeWritable(dist);
  const home = join(dist, fingerprintOf(root));
  const pages = (await bundleWeb(rolldown, root, options)).map(({ name, text }) => ({ name: join('web', name), text }));
  place([...(await bundle(rolldown, root, home)), ...pages], home);
  removeOldBundles(dist);
  console.log(`${relative(root, home)} built in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  return 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  try {
    process.exitCode = await build(root, { smallest: process.argv.includes('--smallest') });
  } catch (error) {
    console.error(`Gatehouse could not be built: ${error.message}`);
    process.exitCode = 1;
  }
}
