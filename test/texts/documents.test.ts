import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const documents = globSync(['*.md', '{.github,bench,deploy,docs,scripts,src,test,web}/**/*.md'], { cwd: root }).filter(
  (path) => !path.includes('node_modules'),
);

/** The anchor that GitHub gives a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

const anchorsOf = (path: string): string[] =>
  [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));

/** Links to other sites need the network: they are not checked. */
const linksOf = (path: string): string[] =>
  [...read(path).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].map(([, link = '']) => link);

function isBroken(from: string, link: string): boolean {
  const [file = '', anchor] = link.split('#');
  const path = file === '' ? from : join(dirname(from), file);
  if (!existsSync(join(root, path))) return true;
  return anchor !== undefined && path.endsWith('.md') && !anchorsOf(path).includes(anchor);
}

test('links between documents lead to existing files and headings', () => {
  expect(documents.length).toBeGreaterThan(20);
  const broken = documents.flatMap((path) =>
    linksOf(path)
      .filter((link) => isBroken(path, link))
      .map((link) => `${path}: ${link}`),
  );
  expect(broken).toEqual([]);
});

test('documents wrap at 100 columns, except for code, tables, headings and what has no spaces', () => {
  const long = documents.flatMap((path) => {
    const prose = read(path).replaceAll(/^ *(```|~~~)[\s\S]*?^ *\1/gm, (code) => code.replaceAll(/[^\n]/g, ''));
    return prose
      .split('\n')
      .flatMap((line, at) =>
        line.length > 100 && /^(?! *[|#<!]).{40,} .*/.test(line.replaceAll(/`[^`]*`/g, 'code'))
          ? [`${path}:${at + 1}`]
          : [],
      );
  });
  expect(long).toEqual([]);
});

test('READMEs of source folders name existing files', () => {
  const files = globSync('{src,test,web}/**/*.{ts,tsx}', { cwd: root });
  const missing = documents
    .filter((path) => /^(src|web)\/.*README\.md$/.test(path))
    .flatMap((path) =>
      [...read(path).matchAll(/`([\w./-]+\.tsx?)`/g)]
        .map(([, name = '']) => name)
        .filter((name) => !files.some((file) => `/${file}`.endsWith(`/${name.replace(/^(\.\.?\/)+/, '')}`)))
        .map((name) => `${path}: ${name}`),
    );
  expect(missing).toEqual([]);
});

test('every test in test/security is listed in docs/threat-model.md', () => {
  const listed = new Set(linksOf('docs/threat-model.md').map((link) => join('docs', link)));
  expect(globSync('test/security/*.test.ts', { cwd: root }).filter((path) => !listed.has(path))).toEqual([]);
});
