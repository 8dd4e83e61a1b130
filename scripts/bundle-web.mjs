// Bundles the pages of web/: each folder there with a `main.tsx` is a page. Names carry a hash of their contents, so
// that browsers may keep them for ever; beside each file stand its compressed forms.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

// QR codes bring a library that few screens need.
const shared =
  /[\\/]web[\\/]((api|page|elements)[\\/](?!qr-code)|texts[\\/].*\.tsx?$)|[\\/]node_modules[\\/](intl-messageformat|@formatjs)[\\/]/;

const brotli = promisify(brotliCompress);

/** Level 7 takes 0.3 s of CPU where 9 takes 1.2 s and the highest 8.5 s; its files are 1 % and 8 % larger. */
const quickLevel = 7;

/**
 * The files of all pages, and `manifest.json`, which tells what each page loads.
 * @param {typeof import('rolldown')} bundler
 * @param {string} root
 * @param {{ smallest: boolean }} options
 * @returns {Promise<{ name: string, text: string | Buffer }[]>}
 */
export async function bundleWeb({ rolldown }, root, { smallest }) {
  const web = join(root, 'web');
  const pages = readdirSync(web).filter((name) => existsSync(join(web, name, 'main.tsx')));
  const styles = stylesByEntry();
  const build = await rolldown({
    input: Object.fromEntries(pages.map((name) => [name, join(web, name, 'main.tsx')])),
    cwd: root,
    platform: 'browser',
    transform: {
      jsx: { runtime: 'automatic', development: false },
      define: { 'process.env.NODE_ENV': '"production"' },
    },
    plugins: [styles.plugin],
    onLog(level, log, defaultHandler) {
      if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message);
      // Warnings about packages would fill the terminal at the first start.
      if (!log.message.includes('node_modules')) defaultHandler(level, log);
    },
  });
  try {
    const { output } = await build.generate({
      format: 'esm',
      entryFileNames: '[name]-[hash].js',
      chunkFileNames: '[name]-[hash].js',
      minify: true,
      codeSplitting: {
        groups: [
          { name: 'react', test: /[\\/]node_modules[\\/](react|react-dom|scheduler)[\\/]/ },
          // What several pages share comes in one file, not in a dozen small ones.
          { name: 'common', test: shared, minShareCount: 2 },
        ],
      },
    });
    const files = output.map((chunk) => ({ name: chunk.fileName, text: chunk.code }));
    const texts = Object.fromEntries(
      output
        .map((chunk) => [/[\\/]web[\\/]texts[\\/](\w+)\.json$/.exec(chunk.facadeModuleId ?? '')?.[1], chunk.fileName])
        .filter(([language]) => language),
    );
    const manifest = {};
    for (const entry of output.filter((chunk) => chunk.isEntry)) {
      const style = hashed(entry.name, styles.textOf(entry.facadeModuleId));
      if (!files.some(({ name }) => name === style.name)) files.push(style);
      manifest[entry.name] = {
        script: entry.fileName,
        style: style.name,
        preload: staticImports(entry, output),
        texts,
      };
    }
    const compressions = compressionsAt(smallest ? constants.BROTLI_MAX_QUALITY : quickLevel);
    const packed = await Promise.all(files.map((file) => withCompressed(file, compressions)));
    return [...packed.flat(), { name: 'manifest.json', text: JSON.stringify(manifest) }];
  } finally {
    await build.close();
  }
}

/** Takes style sheets out of the scripts that import them; `textOf` gives them back, in the order of the imports. */
function stylesByEntry() {
  const texts = new Map();
  const imports = new Map();
  const plugin = {
    name: 'styles',
    load(id) {
      if (!id.endsWith('.css')) return null;
      texts.set(id, readFileSync(id, 'utf8'));
      return { code: 'export {}', moduleType: 'js', moduleSideEffects: false };
    },
    moduleParsed({ id, importedIds, dynamicallyImportedIds }) {
      imports.set(id, [...importedIds, ...dynamicallyImportedIds]);
    },
  };
  function textOf(entry) {
    const seen = new Set();
    const visit = (id) => {
      if (seen.has(id)) return [];
      seen.add(id);
      return [...(imports.get(id) ?? []).flatMap(visit), ...(texts.has(id) ? [texts.get(id)] : [])];
    };
    return visit(entry).join('\n');
  }
  return { plugin, textOf };
}

function hashed(name, text) {
  return { name: `${name}-${createHash('sha256').update(text).digest('base64url').slice(0, 8)}.css`, text };
}

/** What a script needs before it runs, so that the browser may fetch it all at once. */
function staticImports(entry, output) {
  const byName = new Map(output.map((chunk) => [chunk.fileName, chunk]));
  const names = new Set();
  const visit = (chunk) => {
    for (const name of chunk.imports) {
      if (!byName.has(name) || names.has(name)) continue;
      names.add(name);
      visit(byName.get(name));
    }
  };
  visit(entry);
  return [...names];
}

function compressionsAt(brotliLevel) {
  const params = { [constants.BROTLI_PARAM_QUALITY]: brotliLevel };
  return { '.br': (text) => brotli(text, { params }), '.gz': promisify(gzip) };
}

async function withCompressed(file, compressions) {
  const packed = Object.entries(compressions).map(async ([ending, compress]) => ({
    name: `${file.name}${ending}`,
    text: await compress(Buffer.from(file.text)),
  }));
  return [file, ...(await Promise.all(packed))];
}
