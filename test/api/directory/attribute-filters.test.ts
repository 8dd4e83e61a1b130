import { expect, test } from 'vitest';
import { describeOnBoth } from '../../support/server.ts';

describeOnBoth('filters by attributes', (server) => {
  const attributes = {
    tags: ['a', 'b'],
    'say "hi"': 1,
    home: { zip: 1, city: 'Bern', rooms: [{ floor: 2, size: 20.5 }] },
    "quote'd\\": true,
    none: null,
    'a.b': 'dotted',
    2: 'two',
  };

  test.each([
    [{ tags__0: 'a' }, true],
    [{ tags__1: 'b' }, true],
    [{ 'tags__-1': 'b' }, true],
    [{ tags__0: 'b' }, false],
    [{ tags__2: 'a' }, false],
    [{ tags__first: 'a' }, false],
    [{ 'say "hi"': 1 }, true],
    [{ 'say hi': 1 }, false],
    [{ "quote'd\\": true }, true],
    [{ 'a.b': 'dotted' }, true],
    [{ a__b: 'dotted' }, false],
    [{ 2: 'two' }, true],
    [{ none: null }, true],
    [{ absent: null }, false],
    [{ home__rooms: [{ size: 20.5, floor: 2 }] }, true],
    [{ home__rooms: [{ floor: 2 }] }, false],
    [{ home__rooms__0__floor: 2 }, true],
    [{ home__rooms__0__floor: '2' }, false],
    [{ home: { city: 'Bern', zip: 1 } }, true],
    [{ home__city__length: 4 }, false],
    [{ tags: ['b', 'a'] }, false],
  ])('%j matches: %j', async (wanted, isFound) => {
    const { admin } = server();
    const name = 'group with attributes';
    if ((await admin.get(`/core/groups/?name=${name}`)).body.results.length === 0) {
      expect((await admin.post('/core/groups/', { name, attributes })).status).toBe(201);
    }
    const answer = await admin.get(`/core/groups/?attributes=${encodeURIComponent(JSON.stringify(wanted))}`);
    expect([answer.status, answer.body.results.map((one: { name: string }) => one.name)]).toEqual([
      200,
      isFound ? [name] : [],
    ]);
  });
});
