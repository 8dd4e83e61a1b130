import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { withStablePlan } from './plan.ts';

test.each([1, 5, 20])(
  '%i rows in the order of an index are read from the index, not sorted out of the table',
  (limit) => {
    const db = new DatabaseSync(':memory:');
    db.exec(
      'create table things (pk text primary key, made text, data text) strict; create index things_made on things (made)',
    );
    const text = withStablePlan(`select pk, data from things order by made desc, pk limit ${limit}`);
    const plan = db.prepare(`explain query plan ${text}`).all();
    db.close();
    expect(plan.map(({ detail }) => detail)).toContain('SCAN things USING INDEX things_made');
  },
);
