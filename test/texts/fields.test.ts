import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { languages } from '../../src/lib/texts/languages.ts';
import { describeOnSqlite } from '../support/server.ts';
import { textsOfDeclarations } from './field-texts.ts';

const folder = 'web/texts/fields';
const catalogueOf = (language: string): Record<string, string> =>
  JSON.parse(readFileSync(new URL(`../../${folder}/${language}.json`, import.meta.url), 'utf8'));

/** What a translation keeps: code, placeholders and parameters. */
const keptIn = (text: string): string[] => (text.match(/`[^`]*`|<\w+>|%\(\w+\)s|\w+=\d+/g) ?? []).toSorted();

describeOnSqlite('what admin pages show of the declarations of the server', (server) => {
  let texts: Map<string, string>;
  beforeAll(async () => {
    texts = await textsOfDeclarations(server());
  });

  test.each(languages.filter((language) => language !== 'en'))('is translated into %s', (language) => {
    const catalogue = catalogueOf(language);
    const file = `${folder}/${language}.json`;
    const missing = [...texts].filter(([text]) => !catalogue[text]?.trim());
    expect(missing.map(([text, place]) => `add to ${file}: ${JSON.stringify(text)} (${place})`)).toEqual([]);
    const unused = Object.keys(catalogue).filter((text) => !texts.has(text));
    expect(unused.map((text) => `remove from ${file}: ${JSON.stringify(text)}`)).toEqual([]);
    expect(Object.keys(catalogue)).toEqual(Object.keys(catalogue).toSorted());
    for (const [text, translation] of Object.entries(catalogue)) {
      expect([text, keptIn(translation)]).toEqual([text, keptIn(text)]);
    }
  });
});
