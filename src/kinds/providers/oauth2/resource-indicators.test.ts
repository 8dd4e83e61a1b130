import { expect, test } from 'vitest';
import { checkResource } from './resource-indicators.ts';

const [one, two] = ['https://one.example/', 'urn:two'];

test('what is asked for is taken once each, and what was granted when nothing is', () => {
  expect(checkResource([])).toEqual([]);
  expect(checkResource([one, two, one])).toEqual([one, two]);
  expect(checkResource([], [one, two])).toEqual([one, two]);
  expect(checkResource([two], [one, two])).toEqual([two]);
});

test.each([
  [['relative'], undefined],
  [['https://one.example/#fragment'], undefined],
  [[two], [one]],
  [[one], []],
  [Array.from({ length: 21 }, (_, index) => `https://${index}.example/`), undefined],
])('%s is refused where %s was granted', (asked, granted) => {
  expect(() => checkResource(asked, granted)).toThrow(expect.objectContaining({ code: 'invalid_target' }));
});
