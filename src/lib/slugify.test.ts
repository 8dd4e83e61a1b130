import { expect, test } from 'vitest';
import { isSlugPartial, slugify } from './slugify.ts';

test.each([
  ['Über Gruppe', 'uber-gruppe'],
  ['  Staff -- Berlin ', 'staff-berlin'],
  ['a_b & c!', 'a_b-c'],
  ['___', ''],
  ['Straße Ærø Łódź', 'strasse-aero-lodz'],
  ['営業部', ''],
])('the slug of %j is %j', (text, slug) => {
  expect(slugify(text)).toBe(slug);
});

test.each([
  ['Über Gruppe', false],
  ['R&D – “Straße”', false],
  ['営業部 1', true],
  ['🚀 Team', true],
])('whether the slug of %j is partial: %j', (text, isPartial) => {
  expect(isSlugPartial(text)).toBe(isPartial);
});
