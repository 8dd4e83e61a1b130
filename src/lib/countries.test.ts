import { expect, test } from 'vitest';
import { countries, findCountry } from './countries.ts';

test('there are 249 countries, AD through ZW, sorted, each with its own code and name', () => {
  const codes = countries.map(({ code }) => code);
  expect(codes).toHaveLength(249);
  expect(codes[0]).toBe('AD');
  expect(codes.at(-1)).toBe('ZW');
  expect(codes).toEqual([...codes].sort());
  expect(new Set(codes).size).toBe(249);
  expect(new Set(countries.map(({ name }) => name)).size).toBe(249);
  for (const { code, name } of countries) {
    expect(code).toMatch(/^[A-Z]{2}$/);
    expect(name).toMatch(/^\p{Lu}[\p{L}'(),.\- ]+$/u);
  }
});

test('the names are the common English ones', () => {
  const names = new Map(countries.map(({ code, name }) => [code, name]));
  expect(names.get('GB')).toBe('United Kingdom');
  expect(names.get('US')).toBe('United States of America');
  expect(names.get('AX')).toBe('Åland Islands');
  expect(names.get('CI')).toBe("Côte d'Ivoire");
  expect(names.get('KR')).toBe('South Korea');
  expect(names.get('CD')).toBe('Congo (the Democratic Republic of the)');
});

test('every code is a region that the runtime knows', () => {
  const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  for (const { code } of countries) expect(regions.of(code), code).toBeTypeOf('string');
});

test.each([
  ['DE', 'DE'],
  ['de', 'DE'],
  [' dE ', 'DE'],
  ['DEU', 'DE'],
  ['deu', 'DE'],
  ['276', 'DE'],
  ['Germany', 'DE'],
  ['germany', 'DE'],
  ['004', 'AF'],
  ['4', 'AF'],
  ['USA', 'US'],
  ['840', 'US'],
  ['United States of America', 'US'],
  ['GBR', 'GB'],
  ["Côte d'Ivoire", 'CI'],
  ['ÅLAND ISLANDS', 'AX'],
  ['Zimbabwe', 'ZW'],
])('the country %j is found as %s', (value, code) => {
  expect(findCountry(value)).toBe(code);
});

test.each([
  '',
  ' ',
  'XX',
  'UK',
  'EU',
  'XK',
  'AAA',
  '0',
  '999',
  '1234',
  '-4',
  '4.0',
  'Atlantis',
  'constructor',
  '__proto__',
])('%j is no country', (value) => {
  expect(findCountry(value)).toBeNull();
});

test('every code and name leads back to its country, and the three kinds of code do not collide', () => {
  for (const { code, name } of countries) {
    expect(findCountry(code)).toBe(code);
    expect(findCountry(name)).toBe(code);
  }
  const numeric = Array.from({ length: 1000 }, (_, number) => findCountry(String(number))).filter(
    (code) => code !== null,
  );
  expect(new Set(numeric).size).toBe(249);
  expect(numeric).toHaveLength(249);
});

test('the list cannot be changed by those who read it', () => {
  expect(() => (countries as { code: string; name: string }[]).pop()).toThrow(TypeError);
});
