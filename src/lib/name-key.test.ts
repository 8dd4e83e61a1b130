import { expect, test } from 'vitest';
import { isSameName, nameKey } from './name-key.ts';

test.each([
  ['Émile', 'émile'],
  ['Émile', 'e\u0301mile'],
  ['ΟΔΥΣΣΕΥΣ', 'οδυσσευς'],
  ['STRASSE', 'straße'],
  ['ẞ', 'ss'],
  ['Дмитрий', 'ДМИТРИЙ'],
  ['ａｄｍｉｎ', 'admin'],
  ['ﬁona', 'FIONA'],
  ['İzmir', 'i\u0307zmir'],
])('%s and %s are one name', (one, other) => {
  expect(isSameName(one, other)).toBe(true);
  expect(nameKey(one)).toBe(nameKey(other));
});

test.each([
  ['admin', 'аdmin'],
  ['admin', 'ADМIN'],
  ['admin', 'admın'],
  ['bob', 'ВОВ'],
  ['anna@example.com', 'аnna@example.com'],
  ['o’neil', "o'neil"],
  ['élan', 'еlan'.replace('е', 'е\u0301')],
])('%s and %s look alike', (one, other) => {
  expect(isSameName(one, other)).toBe(false);
  expect(nameKey(one)).toBe(nameKey(other));
});

test.each([
  ['bob1', 'bobl'],
  ['adm1n1', 'admini'],
  ['rnary', 'mary'],
  ['b0b', 'bob'],
  ['müller', 'muller'],
  ['łukasz', 'lukasz'],
  ['søren', 'soren'],
  ['anna', 'hannah'],
  ['анна', 'ирина'],
  ['محمد', 'محمود'],
  ['田中', '中田'],
])('%s and %s are two names', (one, other) => {
  expect(nameKey(one)).not.toBe(nameKey(other));
});

test('the key of a key is that key', () => {
  for (const name of ['Émile', 'ＡＤМＩＮ', 'straße', 'Σίσυφος', 'ﷺ', '١٢٣', 'ᏣᎳᎩ', 'a b'])
    expect(nameKey(nameKey(name))).toBe(nameKey(name));
});
