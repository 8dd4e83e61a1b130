import { expect, test } from 'vitest';
import { checkResource } from './resource-indicators.ts';

const [one, two] = ['https://one.example/', 'urn:two'];
const many = Array.from({ length: 21 }, (_, index) => `https://${index}.example/`);
const client = {
  client_id: 'https://self.example',
  targets: [one, two, 'relative', 'https://one.example/#fragment', ...many],
};

test('the client itself is always a target', () => {
  expect(checkResource([client.client_id], client)).toEqual([client.client_id]);
});

test('what is asked for is taken once each, and what was granted when nothing is', () => {
  expect(checkResource([], client)).toEqual([]);
  expect(checkResource([one, two, one], client)).toEqual([one, two]);
  expect(checkResource([], client, [one, two])).toEqual([one, two]);
  expect(checkResource([two], client, [one, two])).toEqual([two]);
});

test.each([
  [['relative'], undefined],
  [['https://one.example/#fragment'], undefined],
  [[two], [one]],
  [[one], []],
  [many, undefined],
  [['https://three.example/'], undefined],
  [[], ['https://three.example/']],
])('%s is refused where %s was granted', (asked, granted) => {
  expect(() => checkResource(asked, client, granted)).toThrow(expect.objectContaining({ code: 'invalid_target' }));
});
