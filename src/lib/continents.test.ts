import { expect, test } from 'vitest';
import { continentOf } from './continents.ts';
import { countries } from './countries.ts';

test('every country has a continent', () => {
  expect(countries.filter(({ code }) => continentOf(code) === '')).toEqual([]);
  expect([continentOf('GB'), continentOf('DE'), continentOf('US'), continentOf('XX')]).toEqual(['EU', 'EU', 'NA', '']);
});
