import { expect, test } from 'vitest';
import { slugify } from './slugify.ts';

test.each([
  ['Über Gruppe', 'uber-gruppe'],
  ['  Staff -- Berlin ', 'staff-berlin'],
  ['a_b & c!', 'a_b-c'],
  ['___', ''],
])('the slug of %j is %j', (text, slug) => {
  expect(slugify(text)).toBe(slug);
});
