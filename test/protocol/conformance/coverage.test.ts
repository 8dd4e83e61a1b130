import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const read = (file: string) => readFileSync(join(import.meta.dirname, file), 'utf8');

/** The modules that the tables of the README call covered. */
function listedModules(): Set<string> {
  const rows = read('README.md').matchAll(/^\| `([\w-]+)` \| (yes|refused|no) \|/gm);
  return new Set([...rows].flatMap(([, module = '', covered]) => (covered === 'no' ? [] : [module])));
}

/** The modules that tests are named by. */
function testedModules(): Set<string> {
  const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.ts') && !file.startsWith('coverage'));
  const names = files
    .map(read)
    .join('\n')
    .matchAll(/['`](?:fapi2-security-profile-final-|(?=oidcc-))([\w-]+)/g);
  return new Set([...names].map(([, module = '']) => module));
}

test('the tables list what is tested, and nothing else', () => {
  const [listed, tested] = [listedModules(), testedModules()];
  expect({ untested: [...listed.difference(tested)], unlisted: [...tested.difference(listed)] }).toEqual({
    untested: [],
    unlisted: [],
  });
  expect(tested.size).toBeGreaterThan(100);
});
