import { describe, expect, test } from 'vitest';
import { bulk } from '../../src/kinds/sources/scim/server/bulk.ts';
import { groupType } from '../../src/kinds/sources/scim/server/group-type.ts';
import { patchDocument } from '../../src/kinds/sources/scim/server/patch-document.ts';
import type { ScimRequest } from '../../src/kinds/sources/scim/server/scim-request.ts';
import { userType } from '../../src/kinds/sources/scim/server/user-type.ts';
import { scimClient } from '../protocol/scim/scim-client.ts';
import { describeOnSqlite } from '../support/server.ts';

const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
const wide = Object.fromEntries(times(40_000, (at) => [`a${at}`, 1]));
const emails = times(9_000, (at) => ({ value: `a${at}@example.com`, type: 'work' }));
const anyOf = times(180, (at) => `value eq "x${at}"`).join(' or ');
const person = { userName: 'ada', emails };

// Operations times elements times conditions: 30 kB took five seconds, a megabyte would have blocked the server for
// minutes.
const costly: Readonly<Record<string, () => unknown>> = {
  'filters of many conditions': () =>
    patchDocument(userType, person, {
      Operations: times(200, (at) => ({
        op: 'add',
        path: `emails[${anyOf} or type eq "work"].display`,
        value: `${at}`,
      })),
    }),
  'elements added to and removed from a long list by turns': () =>
    patchDocument(userType, person, {
      Operations: times(1_000, (at) =>
        at % 2 === 0
          ? { op: 'add', path: 'emails', value: [{ value: `b${at}` }] }
          : { op: 'remove', path: `emails[value eq "a${at}"]` },
      ),
    }),
  'all elements changed again and again': () =>
    patchDocument(userType, person, {
      Operations: times(1_000, (at) => ({ op: 'replace', path: 'emails.display', value: `${at}` })),
    }),
  'very many members': () => patchDocument(userType, person, { Operations: [{ op: 'add', value: wide }] }),
  'very many members of an extension': () =>
    patchDocument(userType, person, { Operations: [{ op: 'add', value: { 'urn:example:more': wide } }] }),
  'a document of very many members': () =>
    patchDocument(userType, wide, { Operations: times(1_000, (at) => ({ op: 'add', path: `b${at}`, value: 1 })) }),
};

describe('denial of service: the work that a SCIM client causes', () => {
  test.each(Object.entries(costly))('ends a PATCH: %s', (_name, work) => {
    expect(work).toThrow(expect.objectContaining({ status: 400, scimType: 'tooMany' }));
  });

  test('leaves room for honest ones', () => {
    const members = times(5_000, (at) => ({ value: `u${at}` }));
    const changed = patchDocument(
      groupType,
      { displayName: 'all', members },
      {
        Operations: times(300, (at) =>
          at % 2 === 0
            ? { op: 'add', path: 'members', value: [{ value: `n${at}` }] }
            : { op: 'remove', path: `members[value eq "u${at}"]` },
        ),
      },
    );
    expect(changed.members).toHaveLength(5_000);
    const { members: some } = patchDocument(
      groupType,
      { displayName: 'some' },
      {
        Operations: [{ op: 'Add', path: 'members', value: times(10_000, (at) => `u${at}`) }],
      },
    ) as { members: { value: string }[] };
    expect(some[9_999]).toEqual({ value: 'u9999' });
  });

  test('leaves room for a thousand who join and leave a large group', () => {
    const members = times(50_000, (at) => ({ value: `u${at}` }));
    const group = { displayName: 'all', members };
    const joining = times(1_000, (at) => ({ op: 'add', path: 'members', value: [{ value: `n${at % 999}` }] }));
    const joined = patchDocument(groupType, group, { Operations: joining });
    expect(joined.members).toEqual([...members, ...times(999, (at) => ({ value: `n${at}` }))]);
    const leaving = times(1_000, (at) => ({ op: 'remove', path: `members[value eq "U${at * 50}"]` }));
    const left = patchDocument(groupType, group, { Operations: leaving });
    expect(left.members).toEqual(members.filter((_, at) => at % 50 !== 0));
  });

  test('is linear for operations that wait for each other', async () => {
    const Operations = times(500, (at) => ({
      ...{ method: 'POST', path: '/Users', bulkId: `b${at}` },
      data: { userName: `u${at}`, manager: `bulkId:b${at + 1}`, texts: times(300, () => 'bulkId') },
    }));
    const last = { method: 'POST', path: '/Users', bulkId: 'b499', data: {} };
    const exchange = { needs: { publicUrl: '' }, source: { slug: 's' } } as ScimRequest;
    const body = () => ({ Operations: [...Operations.slice(0, 499), last] });
    const order: unknown[] = [];
    const before = process.threadCpuUsage();
    await bulk({ ...exchange, body }, async ({ body: sent }) => {
      order.push(sent());
      return { status: 201, body: { id: `id${order.length}` } };
    });
    const { user, system } = process.threadCpuUsage(before);
    expect(order).toHaveLength(500);
    expect(order[1]).toMatchObject({ userName: 'u498', manager: 'id1' });
    expect((user + system) / 1e6).toBeLessThan(3);
  });
});

// Each name was looked for in every resource of the list: ninety thousand of them held up the server for 88 s.
describeOnSqlite('denial of service: attributes that a SCIM client names', (server) => {
  test('are bounded', async () => {
    const client = await scimClient(server());
    await client.user();
    const names = (count: number) => times(count, (at) => `a${at}`);
    const ask = (body: object) => client.send('POST', '/Users/.search', body);
    expect((await ask({ attributes: [...names(199), 'userName'] })).status).toBe(200);
    for (const body of [
      { attributes: names(201) },
      { excludedAttributes: names(201) },
      { attributes: [names(201).join(',')] },
      { attributes: names(101), excludedAttributes: names(100) },
    ]) {
      expect((await ask(body)).body).toMatchObject({ status: '400', scimType: 'tooMany' });
    }
    expect((await client.get(`/Users?attributes=${names(201)}`)).status).toBe(400);
  });
});
