import { expect, test } from 'vitest';
import { hasSection, withSection } from './document.ts';

const text = 'a\n<!-- one -->\nold\n<!-- end of one -->\nb\n<!-- two -->\n<!-- end of two -->\n';

test('replaces one section and leaves the rest', () => {
  const once = withSection(text, 'one', 'new');

  expect(once).toBe('a\n<!-- one -->\n\nnew\n\n<!-- end of one -->\nb\n<!-- two -->\n<!-- end of two -->\n');
  expect(withSection(once, 'one', 'new')).toBe(once);
});

test('says which section is missing', () => {
  expect(() => withSection(text, 'three', 'new')).toThrow(/three/);
});

test('knows before measuring what has no section', () => {
  expect(['sqlite', 'sqlite, small', 'postgres, instances'].map(hasSection)).toEqual([true, false, false]);
});
