import { beforeAll, expect, test } from 'vitest';
import { unique } from '../../api/sources/fixtures.ts';
import { describeOnBoth } from '../../support/server.ts';
import { type ScimClient, scimClient, urns } from './scim-client.ts';

describeOnBoth('RFC 7644 §3.4.2: lists', (server) => {
  let client: ScimClient;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies freely
  let ada: any, ben: any, group: any;
  const word = unique('w');
  beforeAll(async () => {
    client = await scimClient(server());
    ada = await client.user({
      userName: `Ada.${word}`,
      externalId: `Ext-${word}`,
      displayName: 'Ada Lovelace',
      name: { familyName: 'Lovelace', givenName: 'Ada' },
      title: '100%_sure',
      emails: [
        { value: 'ada@work.example', type: 'work', primary: true },
        { value: 'ada@home.example', type: 'home' },
      ],
      [urns.enterprise]: { department: 'Engines', employeeNumber: '7', manager: { value: 'm1' } },
      'urn:example:custom': { level: 5, tags: ['red', 'blue'] },
    });
    ben = await client.user({ userName: `ben.${word}`, displayName: 'Ben', active: false, title: "o'clock" });
    group = await client.group({ displayName: `Crew ${word}`, members: [{ value: ada.id }] });
    await client.group({ displayName: `Empty ${word}` });
    await (await scimClient(server())).user({ userName: `else.${word}` });
  });
  const found = async (filter: string) => {
    const names = await client.find('Users', filter, 'displayName');
    return Array.isArray(names) ? names.map((name) => (name === 'Ben' ? 'ben' : 'ada')).join(' ') : names;
  };

  test.each([
    [() => `userName eq "ada.${word}"`, 'ada'],
    [() => `USERNAME EQ "ADA.${word.toUpperCase()}"`, 'ada'],
    [() => `${urns.user}:userName sw "BEN"`, 'ben'],
    [() => `userName ew "${word}"`, 'ada ben'],
    [() => 'userName co "da."', 'ada'],
    [() => 'userName co ""', 'ada ben'],
    [() => `userName ne "ada.${word}"`, 'ben'],
    [() => `externalId eq "Ext-${word}"`, 'ada'],
    [() => `externalId eq "ext-${word}"`, ''],
    [() => 'externalId pr', 'ada'],
    [() => `id eq "${ada.id}"`, 'ada'],
    [() => 'id eq "not-a-uuid"', ''],
    [() => 'active eq true', 'ada'],
    [() => 'active eq "False"', 'ben'],
    [() => 'active ne true', 'ben'],
    [() => 'emails.value eq "ada@home.example"', 'ada'],
    [() => 'emails eq "ADA@work.example"', 'ada'],
    [() => 'emails.type eq "home"', 'ada'],
    [() => 'emails[type eq "work" and value co "home"]', ''],
    [() => 'emails[type eq "home" and value co "home"]', 'ada'],
    [() => 'emails[primary eq true]', 'ada'],
    [() => 'emails pr', 'ada'],
    [() => 'not (emails pr)', 'ben'],
    [() => 'displayName sw "ada"', 'ada'],
    [() => 'name.familyName eq "lovelace"', 'ada'],
    [() => 'name.familyName ne "lovelace"', 'ben'],
    [() => 'title co "%_"', 'ada'],
    [() => 'title eq "o\'clock"', 'ben'],
    [() => 'title gt "2"', 'ben'],
    [() => 'nickName eq null', 'ada ben'],
    [() => 'title ne null', 'ada ben'],
    [() => `${urns.enterprise}:department eq "engines"`, 'ada'],
    [() => `${urns.enterprise}:manager.value eq "m1"`, 'ada'],
    [() => `${urns.enterprise}:manager eq "m1"`, 'ada'],
    [() => `not (${urns.enterprise}:department eq "engines")`, 'ben'],
    [() => 'urn:example:custom:level eq 5', 'ada'],
    [() => 'urn:example:custom:level gt 4 and urn:example:custom:level le 5', 'ada'],
    [() => 'urn:example:custom:level gt 10', ''],
    [() => 'urn:example:custom:tags eq "blue"', 'ada'],
    [() => 'unknown.thing eq "x" or userName sw "ben"', 'ben'],
    [() => '(userName sw "ada" or userName sw "ben") and active eq false', 'ben'],
    [() => 'userName sw "ada" or userName sw "ben" and active eq true', 'ada'],
    [() => `meta.lastModified ge "${ada.meta.lastModified}"`, 'ada ben'],
    [() => `meta.created eq "${ada.meta.created}"`, 'ada'],
    [() => 'meta.created lt "2001-01-01T00:00:00Z"', ''],
    [() => 'meta.resourceType eq "User"', 'ada ben'],
  ])('§3.4.2.2: filter %#', async (filter, expected) => {
    expect([filter(), await found(filter())]).toEqual([filter(), expected]);
  });

  test.each([
    ['a syntax that there is not', 'userName eq'],
    ['an order of booleans', 'active gt true'],
    ['a time that is none', 'meta.created gt "yesterday"'],
    ['too many conditions', Array(300).fill('a pr').join(' or ')],
    ['a null character', 'userName eq "\u0000"'],
  ])('§3.4.2.2: %s is refused as invalidFilter', async (_name, filter) => {
    expect(await client.find('Users', filter)).toMatchObject({ status: '400', scimType: 'invalidFilter' });
  });

  test('§3.4.2.2: groups are filtered by name and by member', async () => {
    const find = (filter: string) => client.find('Groups', filter, 'id');
    expect(await find(`displayName eq "CREW ${word}"`)).toEqual([group.id]);
    expect(await find(`members.value eq "${ada.id}"`)).toEqual([group.id]);
    expect(await find(`members eq "${ada.id}"`)).toEqual([group.id]);
    expect(await find(`members[value eq "${ada.id}" and type eq "user"]`)).toEqual([group.id]);
    expect(await find('members pr')).toEqual([group.id]);
    expect(await find(`members.value eq "${ben.id}"`)).toEqual([]);
  });

  test('§3.4.2.2: what strangers write into a filter is only ever a value', async () => {
    const hostile = `x' or '1'='1`;
    expect(await found(`userName eq "${hostile}"`)).toBe('');
    expect(await found(`nickName.sub eq "${hostile}"`)).toBe('');
    expect(await client.find('Users', `a'b eq "x"`)).toMatchObject({ scimType: 'invalidFilter' });
  });

  test('§3.4.2.3: lists are sorted in both directions, with missing values last', async () => {
    const names = async (query: string) =>
      (await client.get(`/Users?${query}`)).body.Resources.map((one: { id: string }) =>
        one.id === ada.id ? 'ada' : 'ben',
      ).join(' ');
    expect(await names('sortBy=userName')).toBe('ada ben');
    expect(await names('sortBy=userName&sortOrder=descending')).toBe('ben ada');
    expect(await names('sortBy=title')).toBe('ada ben');
    expect(await names('sortBy=name.familyName')).toBe('ada ben');
    expect(await names('sortBy=name.familyName&sortOrder=descending')).toBe('ben ada');
    expect(await names('sortBy=meta.lastModified&sortOrder=descending')).toBe('ben ada');
    expect((await client.get('/Users?sortBy=a.b.c')).body.scimType).toBe('invalidPath');
  });

  test('§3.4.2.4: pages begin where startIndex says, and past the end there is nothing', async () => {
    const page = async (query: string) => {
      const { status, body } = await client.get(`/Users?${query}`);
      return [status, body.totalResults, body.startIndex, body.itemsPerPage, body.Resources.length];
    };
    expect(await page('')).toEqual([200, 2, 1, 2, 2]);
    expect(await page('startIndex=2')).toEqual([200, 2, 2, 1, 1]);
    expect(await page('startIndex=101')).toEqual([200, 2, 101, 0, 0]);
    expect(await page('startIndex=0&count=1')).toEqual([200, 2, 1, 1, 1]);
    expect(await page('count=0')).toEqual([200, 2, 1, 0, 0]);
    expect(await page('count=-1')).toEqual([200, 2, 1, 0, 0]);
    expect(await page('count=100000')).toEqual([200, 2, 1, 2, 2]);
    expect((await client.get('/Users?count=many')).body.scimType).toBe('invalidValue');
    const { body } = await client.get('/Users?startIndex=2&count=1');
    expect([body.schemas, body.Resources[0].id]).toEqual([[urns.list], ben.id]);
  });

  test('§3.9: attributes and excludedAttributes choose what is shown, but id and schemas always are', async () => {
    const show = async (query: string) => (await client.get(`/Users/${ada.id}?${query}`)).body;
    expect(await show('attributes=userName,emails.value')).toEqual({
      schemas: ada.schemas,
      id: ada.id,
      userName: ada.userName,
      emails: [{ value: 'ada@work.example' }, { value: 'ada@home.example' }],
    });
    expect(await show(`attributes=${urns.enterprise}:department`)).toEqual({
      schemas: ada.schemas,
      id: ada.id,
      [urns.enterprise]: { department: 'Engines' },
    });
    const without = await show(`excludedAttributes=ID,schemas,emails,name.givenName,${urns.enterprise}`);
    expect(without).toMatchObject({ id: ada.id, schemas: ada.schemas, name: { familyName: 'Lovelace' } });
    expect(without.name).not.toHaveProperty('givenName');
    for (const gone of ['emails', urns.enterprise]) expect(without).not.toHaveProperty([gone]);
    const { body } = await client.get('/Groups?excludedAttributes=members');
    for (const one of body.Resources) expect(one).not.toHaveProperty('members');
    const made = await client.send('POST', '/Users?attributes=userName', { userName: unique('short') });
    expect(Object.keys(made.body).sort()).toEqual(['id', 'schemas', 'userName']);
    expect(made.headers.get('location')).toContain(made.body.id);
    await client.send('DELETE', `/Users/${made.body.id}`);
  });

  test('§3.4.3: POST to .search lists users, groups or both', async () => {
    const search = async (path: string, body: object) =>
      (await client.send('POST', `${path}/.search`, { schemas: [urns.search], ...body })).body;
    const both = await search('', { filter: `displayName co "${word}" or userName co "${word}"`, count: 3 });
    expect([both.totalResults, both.itemsPerPage]).toEqual([4, 3]);
    const rest = await search('', {
      filter: `displayName co "${word}" or userName co "${word}"`,
      startIndex: 4,
      attributes: ['displayName'],
    });
    expect(rest.Resources).toEqual([{ schemas: [urns.group], id: expect.any(String), displayName: `Empty ${word}` }]);
    expect((await search('/Users', { sortBy: 'userName', sortOrder: 'descending' })).Resources[0].id).toBe(ben.id);
    expect((await search('/Groups', { filter: 'members pr' })).Resources[0].id).toBe(group.id);
    expect((await search('/Users', { filter: 5 })).scimType).toBe('invalidValue');
    expect((await client.send('POST', '/.search', [])).body.scimType).toBe('invalidSyntax');
  });

  test('a list shows nothing of other sources', async () => {
    const { body } = await client.get('/Users');
    expect(JSON.stringify(body)).not.toContain(`else.${word}`);
  });
});
