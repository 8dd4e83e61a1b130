import { expect, test } from 'vitest';
import { requireSqlite } from './version.ts';

test.each(['3.51.3', '3.51.10', '3.53.0', '4.0.0'])('SQLite %s is good', (version) => {
  expect(() => requireSqlite(version)).not.toThrow();
});

test.each(['3.51.2', '3.50.4', '2.99.99', ''])('SQLite "%s" is refused', (version) => {
  expect(() => requireSqlite(version)).toThrow('3.51.3 or later is needed');
});
