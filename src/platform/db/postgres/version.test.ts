import { expect, test } from 'vitest';
import { requirePostgres } from './version.ts';

test.each([150000, 150013, 170002, 180000])('PostgreSQL %i is new enough', (number) => {
  expect(() => requirePostgres(number)).not.toThrow();
});

test.each([
  [140019, '14'],
  [100001, '10'],
  [90624, '9.6'],
])('PostgreSQL %i is refused', (number, name) => {
  expect(() => requirePostgres(number)).toThrow(
    `Gatehouse needs PostgreSQL 15 or later; the server is PostgreSQL ${name}`,
  );
});
