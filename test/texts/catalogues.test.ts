import { readdirSync, readFileSync } from 'node:fs';
import { parse } from '@formatjs/icu-messageformat-parser';
import { describe, expect, test } from 'vitest';
import { deny } from '../../src/flow/executor/stage-kind.ts';
import { languages } from '../../src/lib/texts/languages.ts';
import { message } from '../../src/lib/texts/message.ts';
import { languages as pageLanguages } from '../../web/texts/languages.ts';
import { stringsIn, stringsOfPages } from './page-texts.ts';
import { stringsOfServer } from './server-texts.ts';

const root = new URL('../../', import.meta.url);
const ofServer = stringsOfServer();
const translated = languages.filter((language) => language !== 'en');
const pageFolders = ['web/texts', 'web/texts/admin'];
const folders = [...pageFolders, 'src/lib/texts'];

const catalogue = (folder: string, language: string): Record<string, string> =>
  JSON.parse(readFileSync(new URL(`${folder}/${language}.json`, root), 'utf8'));

const keysOf = (folder: string) => Object.keys(catalogue(folder, 'de'));

/** What a message takes: names of values and tags. */
function argumentsOf(message: string): string[] {
  const names = new Set<string>();
  const visit = (parts: ReturnType<typeof parse>): void => {
    for (const part of parts) {
      // Literals and `#` have no name.
      if (part.type !== 0 && part.type !== 7) names.add(part.type === 8 ? `<${part.value}>` : part.value);
      if (part.type === 8) visit(part.children);
      if (part.type === 5 || part.type === 6) for (const { value } of Object.values(part.options)) visit(value);
    }
  };
  visit(parse(message));
  return [...names].sort();
}

describe.each(folders)('the catalogues of %s', (folder) => {
  test('are those of the languages on offer', () => {
    const files = readdirSync(new URL(`${folder}/`, root)).filter((name) => name.endsWith('.json'));
    expect(files.map((name) => name.replace('.json', '')).sort()).toEqual([...translated].sort());
    expect(pageLanguages).toEqual(languages);
  });

  test.each(translated)('%s has every text, with the values and tags of the English one', (language) => {
    const texts = catalogue(folder, language);
    expect(Object.keys(texts)).toEqual(keysOf(folder));
    for (const [english, text] of Object.entries(texts)) {
      expect(text.trim(), english).not.toBe('');
      expect([english, argumentsOf(text)]).toEqual([english, argumentsOf(english)]);
    }
  });

  test.each(translated)('%s has each plural form of its language', (language) => {
    const needed = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
    for (const text of Object.values(catalogue(folder, language)).filter((message) => /, plural,/.test(message))) {
      const [found] = parse(text).flatMap((part) => (part.type === 6 ? [Object.keys(part.options)] : []));
      // French and Spanish have `many` for millions alone, which takes another construction.
      expect(needed.filter((form) => form !== 'many' || language === 'ar').sort()).toEqual([...(found ?? [])].sort());
    }
  });
});

/** Reads like something that is said to people: starts with a capital letter and goes on in small ones. */
const isSaid = (text: string): boolean => /^[\p{Lu}“(](?!prefers-)\p{Ll}[\p{Ll}-]*([ .,!?…:].*)?$/u.test(text);

/** Compared with, sent or stored, but not shown; or the same in every language. */
const notSaid = new Set(['Other', 'Error', 'Escape', 'Ctrl', 'Esc', 'K', 'JSON', 'YAML', 'hours=1']);

/** What other applications call things; the type of templates asks for texts where people read ours. */
const foreign = /^web\/admin\/(?:applications\/(?:templates|forward-auth)\/|sources\/services)/;

describe('the pages that people see', () => {
  const strings = stringsOfPages();
  const keys = new Set(pageFolders.flatMap(keysOf));
  // Values are named in English and then looked up among the texts of the declarations.
  const ofFields = new Set(keysOf('web/texts/fields'));

  test('have no text outside the catalogues', () => {
    const outside = strings.filter(
      ({ text, place, isMarkup, isLookedUp }) =>
        !foreign.test(place) &&
        !notSaid.has(text) &&
        (isMarkup || (isLookedUp ? !keys.has(text) : isSaid(text) && !keys.has(text) && !ofFields.has(text))),
    );
    expect(outside.map(({ place, text }) => `${place}: ${text}`)).toEqual([]);
  });

  test('have each text in one catalogue', () => {
    expect([...keys]).toHaveLength(pageFolders.flatMap(keysOf).length);
  });

  test('use every text of the catalogues', () => {
    const used = new Set([...strings, ...ofServer].map(({ text }) => text));
    expect([...keys].filter((key) => !used.has(key))).toEqual([]);
  });

  test.each([
    ['text between tags', '<p>Hello</p>'],
    ['an attribute', '<img alt="A picture" />'],
    ['text joined by hand', 'const x = `You have so many: $'.concat('{count}`;')],
  ])('would not get past with %s', (_name, source) => {
    expect(stringsIn(source, 'x.tsx').filter(({ isMarkup }) => isMarkup)).toHaveLength(1);
  });
});

describe('the server', () => {
  test('uses every text of the catalogues', () => {
    const used = new Set(ofServer.map(({ text }) => text));
    expect(keysOf('src/lib/texts').filter((key) => !used.has(key))).toEqual([]);
  });

  test('says nothing to people that the catalogues lack', () => {
    // Values belong into a message: a text with them put in is none of the catalogues.
    const keys = new Set(keysOf('src/lib/texts'));
    const missing = ofServer.filter(({ text, isTold }) => isTold && !keys.has(text));
    expect(missing.map(({ place, text }) => `${place}: ${text}`)).toEqual([]);
  });

  test('compiles with no text that the catalogues lack, or message without its values', () => {
    const name = 'Wiki';
    const refused = [
      // @ts-expect-error: a new text.
      () => message('A text without translations.'),
      // @ts-expect-error: the same where it is told.
      () => deny('A text without translations.'),
      // @ts-expect-error: the value belongs into a message.
      () => deny(`Sign in to ${name}?`),
      // @ts-expect-error: no value.
      () => message('Sign in to {name}?'),
      // @ts-expect-error: a value of another name.
      () => message('Sign in to {name}?', { app: name }),
    ];
    expect(refused).toHaveLength(5);
    expect(String(message('Sign in to {name}?', { name }))).toBe('Sign in to Wiki?');
  });
});
