import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { queryCacheSizes } from './caches.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

interface Source {
  readonly path: string;
  readonly text: string;
}

function sourcesIn(folder: string): Source[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(tsx?|m?js)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path: relative(root, path), text: readFileSync(path, 'utf8') }));
}

const everything = sourcesIn('src');
const program = everything.filter(({ path }) => !/\.(test|fixture)\.ts$/.test(path));
const others = ['web', 'test', 'bench', 'scripts'].flatMap(sourcesIn);
const importPattern = /^(?:import|export)\s[^;'"]*?from\s+'(\.[^']+)'|^import\s+'(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm;

/** The files of ours that a file imports, types included. */
function importsOf({ path, text }: Source): string[] {
  return [...text.matchAll(importPattern)].map((match) =>
    relative(root, resolve(root, dirname(path), match[1] ?? match[2] ?? match[3] ?? '')),
  );
}

// Each folder may import itself and what stands before it; those in one line do not know each other.
const order = [
  ['lib'],
  ['platform'],
  ['resource'],
  ['core'],
  ['policy'],
  ['flow'],
  ['source', 'provider', 'notify'],
  ['kinds'],
  ['app'],
  ['main.ts'],
];
const folderOf = (path: string) => path.split('/')[1] as string;
const rankOf = (path: string) => order.findIndex((folders) => folders.includes(folderOf(path)));

test('every source file is in a folder of a known layer', () => {
  expect(everything.filter(({ path }) => rankOf(path) === -1).map(({ path }) => path)).toEqual([]);
});

test('imports point only to lower layers', () => {
  const wrong = program.flatMap((source) =>
    importsOf(source)
      .filter((path) => path.startsWith('src/') && folderOf(path) !== folderOf(source.path))
      .filter((path) => rankOf(path) >= rankOf(source.path))
      .map((path) => `${source.path} imports ${path}`),
  );
  expect(wrong).toEqual([]);
});

/** What pages may import from the server: types of the OpenAPI document, and code that needs nothing else. */
const sharedTypes = ['src/resource/document/json-schema.ts', 'src/resource/document/openapi-types.ts'];
const sharedCode = ['src/lib/brand-colours.ts', 'src/lib/spell-out.ts'];

test('pages import from the server only types of the OpenAPI document and a few pure functions', () => {
  const wrong = others
    .filter(({ path }) => path.startsWith('web/'))
    .flatMap((source) => {
      const imported = importsOf(source).filter((path) => path.startsWith('src/'));
      const erased = importsOf({ ...source, text: source.text.replaceAll(/^import (?!type\b)[^;]*;/gm, '') });
      return imported
        .filter((path) => !sharedCode.includes(path) && !(sharedTypes.includes(path) && erased.includes(path)))
        .map((path) => `${source.path} imports ${path}`);
    });
  expect(wrong).toEqual([]);
});

test('what pages share with the server imports nothing else', () => {
  const needed = everything
    .filter(({ path }) => [...sharedTypes, ...sharedCode].includes(path))
    .flatMap(importsOf)
    .filter((path) => ![...sharedTypes, ...sharedCode, 'src/lib/acronyms.ts'].includes(path));
  expect(needed).toEqual([]);
});

test('kinds do not import each other', () => {
  const kindOf = (path: string) => path.split('/').slice(0, 4).join('/');
  const wrong = program
    .filter(({ path }) => path.startsWith('src/kinds/'))
    .flatMap((source) =>
      importsOf(source)
        .filter((path) => path.startsWith('src/kinds/') && kindOf(path) !== kindOf(source.path))
        .map((path) => `${source.path} imports ${path}`),
    );
  expect(wrong).toEqual([]);
});

// Type imports count too: files that need each other's types cannot be read one after the other.
test('there are no import cycles', () => {
  const graph = new Map([...everything, ...others].map((source) => [source.path, importsOf(source)]));
  const done = new Set<string>();
  const circles: string[] = [];
  function walk(path: string, trail: readonly string[]): void {
    if (trail.includes(path)) circles.push([...trail.slice(trail.indexOf(path)), path].join(' > '));
    if (done.has(path) || trail.includes(path)) return;
    for (const next of graph.get(path) ?? []) walk(next, [...trail, path]);
    done.add(path);
  }
  for (const path of graph.keys()) walk(path, []);
  expect(circles).toEqual([]);
});

test('environment variables are read in one file only', () => {
  const readers = program.filter(({ text }) => /process\.env\b/.test(text)).map(({ path }) => path);
  expect(readers).toEqual(['src/main.ts']);
});

test('there are no default exports and no barrel files', () => {
  const defaults = everything.filter(({ text }) => /^export default\b/m.test(text));
  expect(defaults.map(({ path }) => path)).toEqual([]);
  const barrels = program.filter(({ text }) => /^export\s+(\*|\{[^}]*\})\s+from\b/m.test(text));
  expect(barrels.map(({ path }) => path)).toEqual([]);
});

test('no module has mutable state', () => {
  const stateful = program.flatMap(({ path, text }) =>
    [...text.matchAll(/^(?:export )?let \w+/gm)].map(([line]) => `${path}: ${line}`),
  );
  expect(stateful).toEqual([]);
});

/** Where a module may hold what it made of a request: it goes with the request. */
const requestScoped = ['src/resource/write/created.ts'];

test('no module holds a cache', () => {
  const emptyAtStart = /^(?:export )?const \w+(?:: [^=]+)? = new (?:Weak)?(?:Map|Set)(?:<.*>)?\(\)/gm;
  const made = /^(?:export )?const \w+(?:: .+)? = (?:memoize|createLruCache)\b/gm;
  const caches = program
    .filter(({ path }) => !requestScoped.includes(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(emptyAtStart), ...text.matchAll(made)].map(([line]) => `${path}: ${line}`),
    );
  expect(caches).toEqual([]);
});

test('the composition declares every query cache with its size, and the documentation lists it', () => {
  const named = program.flatMap(({ text }) =>
    [...text.matchAll(/\bqueryCache(?:<[^(]*>)\('([^']+)'\)/g)].map(([, name]) => name),
  );
  expect(named.toSorted()).toEqual(Object.keys(queryCacheSizes).toSorted());
  const documented = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  for (const [name, size] of Object.entries(queryCacheSizes)) {
    expect(documented).toContain(`| ${name} | ${size.toLocaleString('en')} |`);
  }
});

test('the documented path of a PATCH names files and functions that exist', () => {
  const [, walk = ''] = readFileSync(join(root, 'docs/architecture.md'), 'utf8').split('### The path of a PATCH');
  const rows = (walk.split('\n## ')[0] ?? '').split('\n').filter((line) => /^\|.*`/.test(line));
  const missing = rows.flatMap((row) => {
    const [, step, files = '', functions = ''] = row.split('|');
    const named = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
    const sources = named(files).map((path) => program.find((source) => source.path.endsWith(`/${path}`)));
    const isDefined = (name: string | undefined) =>
      sources.some((source) => source && new RegExp(`\\b${name}\\b`).test(codeOf(source.text)));
    return [
      ...named(files).filter((_, index) => !sources[index]),
      ...named(functions).filter((name) => !isDefined(name)),
    ].map((name) => `${step?.trim()}: ${name}`);
  });
  expect(rows.length).toBeGreaterThan(15);
  expect(missing).toEqual([]);
});

test('no source file exceeds the line limit', () => {
  const limit = 360;
  const isGenerated = (text: string) => text.startsWith('// Made by scripts/');
  const long = [...everything, ...others]
    .filter(({ text }) => !isGenerated(text))
    .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
    .filter(({ path, lines }) => lines > (/\.test\.ts$/.test(path) ? 2 * limit : limit));
  expect(long.map(({ path, lines }) => `${path}: ${lines}`)).toEqual([]);
});

test('comments wrap at 120 columns', () => {
  const long = [...everything, ...others].flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, at) => (/^\s*(?:\/\/|\/?\*)/.test(line) && line.length > 120 ? [`${path}:${at + 1}`] : [])),
  );
  expect(long).toEqual([]);
});

test('names say what things are', () => {
  const vague = everything.filter(({ path }) => /(^|[/-])(utils?|helpers?|manager|misc|common|index)\b/.test(path));
  expect(vague.map(({ path }) => path)).toEqual([]);
  const odd = everything.filter(({ path }) => !/^[a-z0-9/.-]+$/.test(path));
  expect(odd.map(({ path }) => path)).toEqual([]);
});

const linesOf = (text: string): string => text.replaceAll(/[^\n]/g, '');

/** The code alone, line by line: comments are gone, and of texts only the expressions within them are left. */
function codeOf(text: string): string {
  const token =
    /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|(?<=[=(,:;!&|?{}[+>]\s*|return\s+)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/[\\\n])+\/|[`{}]/g;
  const open: ('text' | 'block')[] = [];
  let code = '';
  let at = 0;
  while (at < text.length) {
    if (open.at(-1) === 'text') {
      const end = /\\[\s\S]|`|\$\{/g;
      end.lastIndex = at;
      const found = end.exec(text);
      code += linesOf(text.slice(at, found ? end.lastIndex : text.length));
      at = found ? end.lastIndex : text.length;
      if (found?.[0] === '`') open.pop();
      if (found?.[0] === '${') open.push('block');
      continue;
    }
    token.lastIndex = at;
    const found = token.exec(text);
    code += `${text.slice(at, found?.index ?? text.length)} ${linesOf(found?.[0] ?? '')}`;
    at = found ? token.lastIndex : text.length;
    if (found?.[0] === '`') open.push('text');
    if (found?.[0] === '{') open.push('block');
    if (found?.[0] === '}') open.pop();
    // What a text says does not matter, that one stands there does.
    if (/^['"`]/.test(found?.[0] ?? '')) code += "''";
    if (found?.[0] === '{' || found?.[0] === '}') code += found[0];
  }
  return code;
}

/** The lines that have a cast, counted from 0, once for each. */
function castsIn(text: string): number[] {
  const code = codeOf(text).replaceAll(/^(?:import|export)\b[^;]*?\bfrom\b/gm, linesOf);
  return [...code.matchAll(/\bas\s+(?!const\b)[\w({['"]/g)].map(({ index }) => linesOf(code.slice(0, index)).length);
}

/** Types that fields and declarations infer need no cast. */
const maxCasts = 105;

test('the number of casts does not exceed its limit', () => {
  expect(
    castsIn(
      `const a = b as unknown as C; // as d\nimport { e as f } from 'g';\nconst h = \`as i \${j as K}\` as const;`,
    ),
  ).toEqual([0, 0, 2]);
  expect(castsIn("const a = /'/.test(b as string) && 'as c' !== d;")).toEqual([0]);
  const total = program.reduce((sum, { text }) => sum + castsIn(text).length, 0);
  expect(total).toBeLessThanOrEqual(maxCasts);
});

test('a comment at each cast or just above it gives the reason', () => {
  const unexplained = program.flatMap(({ path, text }) => {
    const lines = text.split('\n');
    return castsIn(text)
      .filter(
        (line) => !lines.slice(Math.max(0, line - 4), line + 1).some((near) => /\/\/ |^\s*(?:\/\*)?\* /.test(near)),
      )
      .map((line) => `${path}:${line + 1}`);
  });
  expect(unexplained).toEqual([]);
});
