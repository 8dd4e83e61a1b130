import { expect, test } from 'vitest';
import { objectName } from './outpost-to-deploy.ts';

const pk = '01a1eef0-2d89-7623-be82-20c2626d8e3f';

test.each([
  ['xak-outpost-%(name)s', 'Near the Apps', 'xak-outpost-near-the-apps'],
  ['%(uuid)s', 'any', 'outpost-01a1eef02d897623be8220c2626d8e3f'],
  ['%(name)s', '日本', 'outpost-01a1eef02d897623be8220c2626d8e3f'],
  ['Gate_%(name)s.', 'A/b; rm -rf', 'gate-ab-rm-rf'],
  ['', 'any', 'outpost-01a1eef02d897623be8220c2626d8e3f'],
  ['%(name)s', `${'a'.repeat(49)}-b`, 'a'.repeat(49)],
])('%s of %s', (template, name, expected) => {
  const found = objectName(template, { pk, name });
  expect(found).toBe(expected);
  expect(found).toMatch(/^[a-z](?:[a-z0-9-]*[a-z0-9])?$/);
});
