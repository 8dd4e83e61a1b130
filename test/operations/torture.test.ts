import { expect, test } from 'vitest';
import { hasPostgres } from '../support/server.ts';
import { type Place, postgresPlace, sqlitePlace } from '../torture/place.ts';
import { torture } from '../torture/run.ts';

// The short form of `npm run torture`. What the seed decides is the same each time; how far they get is not.
const short = { seed: 7, seconds: 8, answers: 50, people: 4, say: () => {} };

async function expectUnharmed(place: Place): Promise<void> {
  try {
    const { wrongs, answered, decisions, faults } = await torture(place, short);
    expect(wrongs).toEqual([]);
    expect(answered).toBeGreaterThan(20);
    expect(decisions).toBeGreaterThan(10);
    expect(Object.keys(faults).length).toBeGreaterThan(0);
  } finally {
    await place.close();
  }
}

test.skipIf(!hasPostgres)(
  'instances and PostgreSQL are killed under load: every acknowledged write is there, every decision was right',
  async () => expectUnharmed(await postgresPlace(2)),
);

test('a server on SQLite is killed under load: every acknowledged write is there, every decision was right', async () =>
  expectUnharmed(await sqlitePlace()));
