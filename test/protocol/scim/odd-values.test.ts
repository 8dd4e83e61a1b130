import { beforeAll, expect, test } from 'vitest';
import { unique } from '../../api/sources/fixtures.ts';
import { describeOnBoth } from '../../support/server.ts';
import { type ScimClient, scimClient, urns } from './scim-client.ts';

const deep = (levels: number): unknown => (levels === 0 ? 'x' : { below: deep(levels - 1) });

/** Members of a document whose type is not that of the schema. */
const wrong: [string, 'Users' | 'Groups', Record<string, unknown>][] = [
  ['a schema that is an object', 'Users', { schemas: [{}] }],
  ['an externalId that is a list', 'Users', { externalId: ['a'] }],
  ['a title that is true', 'Users', { title: true }],
  ['an email that is a list', 'Users', { emails: [[]] }],
  ['an email whose value is an object', 'Users', { emails: [{ value: {} }] }],
  ['a primary that is a number', 'Users', { emails: [{ value: 'a@example.com', primary: 1 }] }],
  ['a phone number that is false', 'Users', { phoneNumbers: [false] }],
  ['a name whose part is a list', 'Users', { name: { givenName: [] } }],
  ['an extension that is a text', 'Users', { [urns.enterprise]: 'x' }],
  ['a manager that is a list', 'Users', { [urns.enterprise]: { manager: [] } }],
  ['a null character in a title', 'Users', { title: 'a\u0000b' }],
  ['a null character in a member of no schema', 'Users', { favourite: { colour: 'a\u0000b' } }],
  ['a null character in a name of no schema', 'Users', { 'a\u0000b': 'x' }],
  ['a displayName that is an object', 'Groups', { displayName: {} }],
  ['a displayName that is a list', 'Groups', { displayName: ['a'] }],
  ['a member whose value is an object', 'Groups', { members: [{ value: { id: 1 } }] }],
  ['a member that is a list', 'Groups', { members: [['a']] }],
];

/** What a PATCH may carry where something else belongs. */
const wrongOperations: [string, unknown, string][] = [
  ['operations that are an object', { Operations: {} }, 'invalidSyntax'],
  ['an operation that is a number', { Operations: [5] }, 'invalidSyntax'],
  ['an op that is a number', { Operations: [{ op: 5, path: 'title', value: 'x' }] }, 'invalidSyntax'],
  ['a path that is an object', { Operations: [{ op: 'add', path: {}, value: 'x' }] }, 'invalidPath'],
  ['a title that is an object', { Operations: [{ op: 'replace', path: 'title', value: {} }] }, 'invalidValue'],
  ['an email that is a list', { Operations: [{ op: 'add', path: 'emails', value: [[]] }] }, 'invalidValue'],
  ['a text without a path', { Operations: [{ op: 'add', value: 'x' }] }, 'invalidValue'],
  ['a null character', { Operations: [{ op: 'add', path: 'nickName', value: 'a\u0000b' }] }, 'invalidValue'],
];

describeOnBoth('RFC 7644 §3.12: values of the wrong type', (server) => {
  let client: ScimClient;
  beforeAll(async () => {
    client = await scimClient(server());
  });
  const base = (endpoint: string) =>
    endpoint === 'Users' ? { userName: unique('odd') } : { displayName: unique('odd') };
  const told = (scimType: string) => ({
    schemas: [urns.error],
    status: '400',
    scimType,
    detail: expect.stringMatching(/\w+ .*\./),
  });

  test.each(wrong)('%s is refused with invalidValue, in POST and in PUT', async (_name, endpoint, values) => {
    const post = await client.send('POST', `/${endpoint}`, { ...base(endpoint), ...values });
    expect([post.status, post.body]).toEqual([400, told('invalidValue')]);
    const made = endpoint === 'Users' ? await client.user() : await client.group();
    const put = await client.send('PUT', `/${endpoint}/${made.id}`, { ...base(endpoint), ...values });
    expect([put.status, put.body]).toEqual([400, told('invalidValue')]);
    expect((await client.get(`/${endpoint}/${made.id}`)).body).toEqual(made);
  });

  test.each(wrongOperations)('%s in a PATCH is refused', async (_name, body, scimType) => {
    const made = await client.user();
    const answer = await client.send('PATCH', `/Users/${made.id}`, body);
    expect([answer.status, answer.body]).toEqual([400, told(scimType)]);
    expect((await client.get(`/Users/${made.id}`)).body).toEqual(made);
  });

  test('numbers become texts, half characters and deep members of no schema are stored or refused', async () => {
    const made = await client.user({ title: 7, externalId: 8, emails: [] });
    expect(made).toMatchObject({ title: '7', externalId: '8' });
    for (const values of [{ title: '\ud800' }, { other: '\ud800' }, { other: deep(50) }, { other: deep(5_000) }]) {
      const answer = await client.send('POST', '/Users', { ...base('Users'), ...values });
      expect([201, 400]).toContain(answer.status);
    }
  });
});
