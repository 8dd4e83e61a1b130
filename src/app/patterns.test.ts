import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkSync } from 'recheck';
import { parseAst } from 'rolldown/parseAst';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

/**
 * Patterns that only see what we or the administrator of the machine wrote, and that the checker cannot decide in time.
 */
const trustedInput = ['src/platform/config.ts', 'src/platform/config-values.ts', 'src/platform/db/table.ts'];

interface Pattern {
  readonly file: string;
  readonly source: string;
  readonly flags: string;
}

function* patternsIn(file: string, node: unknown): Generator<Pattern> {
  if (typeof node !== 'object' || node === null) return;
  if ('regex' in node && node.regex !== null) {
    const { pattern, flags } = node.regex as { pattern: string; flags: string };
    yield { file, source: pattern, flags };
  }
  for (const child of Object.values(node)) yield* patternsIn(file, child);
}

test('every regular expression takes time in proportion to the text, whatever a stranger sends', () => {
  const files = globSync('src/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'));
  const patterns = files
    .filter((file) => !trustedInput.includes(file))
    .flatMap((file) => [...patternsIn(file, parseAst(readFileSync(join(root, file), 'utf8'), { lang: 'ts' }))]);
  expect(patterns.length).toBeGreaterThan(100);
  const slow = patterns.flatMap(({ file, source, flags }) => {
    const result = checkSync(source, flags, { timeout: 20_000 });
    return result.status === 'safe' ? [] : [`${file}: /${source}/${flags} is ${result.status}`];
  });
  expect(slow).toEqual([]);
});
