import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { describeOnBoth, describeOnSqlite, hasPostgres, startServer, type TestServer } from '../../support/server.ts';

const changes = 120;
const seed = 20_261;

/** The same numbers for the same seed, from 0 up to 1. */
function randomFrom(state: number): () => number {
  let value = state;
  return () => {
    value = (Math.imul(value, 1_664_525) + 1_013_904_223) >>> 0;
    return value / 2 ** 32;
  };
}

type Pair = { group: string; ancestor: string };
const text = ({ group, ancestor }: Pair) => `${group} ${ancestor}`;

/** What is kept, and the same worked out from the parents. */
async function bothAnswers({ world: { db } }: TestServer): Promise<[string[], string[]]> {
  const { rows: kept } = await sql<Pair>`select "group", ancestor from group_ancestors`.execute(db.read);
  const { rows: right } = await sql<Pair>`with recursive above("group", ancestor) as (select pk, pk from groups
    union select a."group", g.parent from above a join groups g on g.pk = a.ancestor where g.parent is not null)
    select "group", ancestor from above`.execute(db.read);
  return [kept.map(text).sort(), right.map(text).sort()];
}

async function expectKept(server: TestServer, what: string): Promise<void> {
  const [kept, right] = await bothAnswers(server);
  expect(kept, what).toEqual(right);
}

function insert({ world: { db } }: TestServer, rows: readonly (readonly [pk: string, parent: string | null])[]) {
  const values = rows.map(([pk, parent]) => sql`(${pk}, ${`group ${pk}`}, ${false}, ${parent}, ${'{}'})`);
  return db.write((tx) =>
    sql`insert into groups (pk, name, is_superuser, parent, attributes) values ${sql.join(values)}`.execute(tx),
  );
}

describeOnBoth('ancestors of groups', (server) => {
  test(`match the parents after ${changes} random changes`, async () => {
    const { admin, world } = server();
    const random = randomFrom(seed);
    const groups: string[] = [];
    const some = () => groups[Math.floor(random() * groups.length)] ?? null;
    const done = { create: 0, move: 0, refused: 0, delete: 0, insert: 0, update: 0 };
    for (let change = 0; change < changes; change++) {
      const kind = random();
      const [one, other] = [some(), random() < 0.2 ? null : some()];
      if (kind < 0.35 || !one) {
        const { status, body } = await admin.post('/core/groups/', { name: `made ${change}`, parent: other });
        expect(status).toBe(201);
        groups.push(body.pk);
        done.create += 1;
      } else if (kind < 0.65) {
        const { status } = await admin.patch(`/core/groups/${one}/`, { parent: other });
        done[status === 200 ? 'move' : 'refused'] += 1;
      } else if (kind < 0.8) {
        expect((await admin.delete(`/core/groups/${one}/`)).status).toBe(204);
        groups.splice(groups.indexOf(one), 1);
        done.delete += 1;
      } else if (kind < 0.9) {
        // One statement, the child before its parent, as an import may have them.
        const [parent, child] = [randomUUID(), randomUUID()];
        await insert(server(), [
          [child, parent],
          [parent, one],
        ]);
        groups.push(parent, child);
        done.insert += 1;
      } else {
        // All that stand below one group, at once.
        await world.db.write((tx) => sql`update groups set parent = null where parent = ${one}`.execute(tx));
        done.update += 1;
      }
      await expectKept(server(), `change ${change} of seed ${seed}`);
    }
    expect(Object.entries(done).filter(([, count]) => count === 0)).toEqual([]);
  });

  test('decide at once who is a superuser', async () => {
    const { admin, user } = server();
    const person = await user();
    const make = async (values: Record<string, unknown>) =>
      (await admin.post('/core/groups/', { name: randomUUID(), ...values })).body.pk as string;
    const above = await make({ is_superuser: true });
    const between = await make({});
    await make({ parent: between, users: [person.pk] });
    const isSuperuser = async () => (await admin.get(`/core/users/${person.pk}/`)).body.is_superuser;
    expect([await isSuperuser(), (await person.api.get('/core/groups/')).status]).toEqual([false, 403]);
    await admin.patch(`/core/groups/${between}/`, { parent: above });
    expect([await isSuperuser(), (await person.api.get('/core/groups/')).status]).toEqual([true, 200]);
    expect((await admin.get(`/core/users/?is_superuser=true&username=${person.username}`)).body.results.length).toBe(1);
    await admin.delete(`/core/groups/${between}/`);
    expect([await isSuperuser(), (await person.api.get('/core/groups/')).status]).toEqual([false, 403]);
  });
});

describeOnSqlite('ancestors of groups written directly into the database', (server) => {
  test('never form a cycle', async () => {
    const [above, below] = [randomUUID(), randomUUID()];
    await insert(server(), [
      [above, null],
      [below, above],
    ]);
    const { db } = server().world;
    const circle = db.write((tx) => sql`update groups set parent = ${below} where pk = ${above}`.execute(tx));
    await expect(circle).rejects.toThrow('a group cannot stand below itself');
    await expectKept(server(), 'after a refusal');
  });
});

test.skipIf(!hasPostgres)('groups added while the one above moves get its new ancestors (postgres)', async () => {
  const server = await startServer('postgres');
  const make = async (parent: string | null = null) =>
    (await server.admin.post('/core/groups/', { name: randomUUID(), parent })).body.pk as string;
  for (let round = 0; round < 15; round++) {
    const [above, moved] = await Promise.all([make(), make()]);
    const answers = await Promise.all([
      server.admin.patch(`/core/groups/${moved}/`, { parent: above }),
      ...Array.from({ length: 4 }, () => server.admin.post('/core/groups/', { name: randomUUID(), parent: moved })),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 201, 201, 201, 201]);
    await expectKept(server, `round ${round}`);
  }
  await server.close();
});

test.skipIf(!hasPostgres)(
  'cycles written directly into the database are handled and can be broken (postgres)',
  async () => {
    const server = await startServer('postgres');
    const make = async (parent: string | null = null) =>
      (await server.admin.post('/core/groups/', { name: randomUUID(), parent })).body.pk as string;
    const one = await make();
    const other = await make(one);
    await make(other);
    const setParent = (parent: string | null) =>
      server.world.db.write((tx) => sql`update groups set parent = ${parent} where pk = ${one}`.execute(tx));
    await setParent(other);
    await expectKept(server, 'a circle');
    await setParent(null);
    await expectKept(server, 'the circle opened');
    await server.close();
  },
);
