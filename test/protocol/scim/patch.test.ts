import { beforeAll, expect, test } from 'vitest';
import { unique } from '../../support/make-walk.ts';
import { describeOnBoth } from '../../support/server.ts';
import { type ScimClient, scimClient, urns } from './scim-client.ts';

describeOnBoth('RFC 7644 §3.5.2: PATCH', (server) => {
  let client: ScimClient;
  beforeAll(async () => {
    client = await scimClient(server());
  });
  const userOf = async (username: string) =>
    (await server().admin.get(`/core/users/?username=${encodeURIComponent(username)}`)).body.results[0];
  const ids = ({ members }: { members: { value: string }[] }) => members.map(({ value }) => value);

  test('changes the user and the document by paths of every form', async () => {
    const made = await client.user({
      name: { givenName: 'Dana', familyName: 'Vo' },
      emails: [
        { value: 'work@example.com', type: 'work', primary: true },
        { value: 'home@example.com', type: 'home' },
      ],
    });
    const { status, body } = await client.patch(
      `/Users/${made.id}`,
      { op: 'add', path: 'nickName', value: 'D' },
      { op: 'replace', path: 'name.familyName', value: 'Wu' },
      { op: 'replace', path: 'emails[type eq "work"].value', value: 'new@example.com' },
      { op: 'remove', path: 'emails[type eq "home" and value sw "home"]' },
      { op: 'add', path: 'phoneNumbers[type eq "mobile"].value', value: '1' },
      { op: 'add', path: `${urns.user}:title`, value: 'Keeper' },
      { op: 'add', path: `${urns.enterprise}:manager`, value: '7' },
      { op: 'add', path: urns.enterprise, value: { department: 'Doors' } },
    );
    expect(status).toBe(200);
    expect(body).toMatchObject({
      schemas: [urns.user, urns.enterprise],
      nickName: 'D',
      title: 'Keeper',
      name: { givenName: 'Dana', familyName: 'Wu' },
      phoneNumbers: [{ type: 'mobile', value: '1' }],
      [urns.enterprise]: { manager: { value: '7' }, department: 'Doors' },
    });
    expect(body.emails).toEqual([{ value: 'new@example.com', type: 'work', primary: true }]);
    expect(await userOf(made.userName)).toMatchObject({ email: 'new@example.com', name: 'Dana Wu' });
    expect((await client.get(`/Users/${made.id}`)).body).toEqual(body);
    const bare = await client.patch(`/Users/${made.id}`, { op: 'remove', path: urns.enterprise });
    expect(bare.body).not.toHaveProperty([urns.enterprise]);
    expect(bare.body.schemas).toEqual([urns.user]);
  });

  test('takes what big senders send: capitalised operations, booleans as text, no path', async () => {
    const made = await client.user();
    const off = await client.patch(`/Users/${made.id}`, { op: 'Replace', path: 'active', value: 'False' });
    expect([off.status, off.body.active]).toEqual([200, false]);
    expect((await userOf(made.userName)).is_active).toBe(false);
    const value = { active: true, 'name.givenName': 'Dana', displayName: 'Dana', id: 'mine', meta: {} };
    const on = await client.patch(`/Users/${made.id}`, { op: 'replace', value });
    expect(on.body).toMatchObject({ id: made.id, active: true, displayName: 'Dana', name: { givenName: 'Dana' } });
    expect(await userOf(made.userName)).toMatchObject({ is_active: true, name: 'Dana' });
    const single = await client.patch(
      `/Users/${made.id}`,
      { op: 'Add', path: 'roles', value: { value: 'a' } },
      { op: 'Add', path: 'roles', value: [{ value: 'b' }] },
      { op: 'Add', path: 'title', value: 'one' },
      { op: 'Add', path: 'title', value: 'two' },
    );
    expect(single.body.roles).toEqual([{ value: 'a' }, { value: 'b' }]);
    expect(single.body.title).toBe('two');
  });

  test.each<[string, (work: string) => object[]]>([
    ['adding an address', (work) => [{ op: 'add', path: 'emails', value: [{ value: work, primary: true }] }]],
    [
      'adding one address after another',
      (work) =>
        ['other@example.com', work].map((value) => ({ op: 'add', path: 'emails', value: [{ value, primary: true }] })),
    ],
    ['adding one without a path', (work) => [{ op: 'add', value: { emails: [{ value: work, primary: true }] } }]],
    [
      'setting `primary` of an address',
      (work) => [
        { op: 'add', path: 'emails', value: [{ value: work, type: 'work' }] },
        { op: 'replace', path: 'emails[type eq "work"].primary', value: true },
      ],
    ],
    [
      'setting it as text',
      (work) => [
        { op: 'Add', path: 'emails', value: [{ value: work, type: 'work' }] },
        { op: 'Add', path: 'emails[type eq "work"].primary', value: 'True' },
      ],
    ],
    [
      'adding a known address again',
      (work) => [
        { op: 'add', path: 'emails', value: [{ value: work }] },
        { op: 'add', path: 'emails', value: [{ value: work, primary: true }] },
      ],
    ],
  ])('a new primary address takes over from the old one, by %s', async (_name, operations) => {
    const [home, work] = [`${unique('home')}@example.com`, `${unique('work')}@example.com`];
    const made = await client.user({ emails: [{ value: home, type: 'home', primary: true }] });
    const { body } = await client.patch(`/Users/${made.id}`, ...operations(work));
    expect(body.emails[0]).toEqual({ value: home, type: 'home', primary: false });
    expect(body.emails.filter(({ primary }: { primary: boolean }) => primary)).toMatchObject([{ value: work }]);
    expect((await userOf(made.userName)).email).toBe(work);
  });

  test('the name follows whichever of the names was changed', async () => {
    const made = await client.user({ displayName: 'A', name: { formatted: 'A' } });
    await client.patch(`/Users/${made.id}`, { op: 'replace', path: 'displayName', value: 'B' });
    expect((await userOf(made.userName)).name).toBe('B');
    const { body } = await client.patch(`/Users/${made.id}`, { op: 'remove', path: 'displayName' });
    expect(body).not.toHaveProperty('displayName');
    expect((await userOf(made.userName)).name).toBe('A');
    await client.patch(`/Users/${made.id}`, { op: 'add', path: 'emails', value: [{ value: 'a@example.com' }] });
    expect((await userOf(made.userName)).email).toBe('a@example.com');
    await client.patch(`/Users/${made.id}`, { op: 'remove', path: 'emails' });
    expect((await userOf(made.userName)).email).toBe('');
    const without = await client.patch(`/Users/${made.id}`, { op: 'remove', path: 'active' });
    expect(without.body).not.toHaveProperty('active');
    expect((await userOf(made.userName)).is_active).toBe(true);
    const off = [
      { op: 'add', path: 'active', value: false },
      { op: 'remove', path: 'active' },
    ];
    expect((await client.patch(`/Users/${made.id}`, ...off)).body).not.toHaveProperty('active');
    for (const operation of off) await client.patch(`/Users/${made.id}`, operation);
    expect((await userOf(made.userName)).is_active).toBe(false);
  });

  test('members are added, removed by filter and by value, and replaced', async () => {
    const [a, b, c] = [await client.user(), await client.user(), await client.user()];
    const group = await client.group({ members: [{ value: a.id }] });
    const path = `/Groups/${group.id}`;
    const after = async (...operations: object[]) => ids((await client.patch(path, ...operations)).body);
    const add = (id: string) => ({ op: 'Add', path: 'members', value: [{ value: id }] });
    expect(await after(add(b.id), add(c.id), add(b.id))).toEqual([a.id, b.id, c.id]);
    expect(await after({ op: 'Remove', path: `members[value eq "${a.id}"]` })).toEqual([b.id, c.id]);
    expect(await after({ op: 'Remove', path: 'members', value: [{ value: b.id }] })).toEqual([c.id]);
    expect(await after({ op: 'replace', path: 'members', value: [{ value: a.id }, { value: b.id }] })).toEqual([
      a.id,
      b.id,
    ]);
    expect(await after({ op: 'replace', value: { members: [{ value: c.id }] } })).toEqual([c.id]);
    expect(await after({ op: 'Remove', path: `members[value eq "${a.id}"]` })).toEqual([c.id]);
    expect(await after({ op: 'Remove', path: 'members' })).toEqual([]);
    expect((await server().admin.get(`/core/groups/${group.id}/`)).body.users).toEqual([]);
  });

  test('two clients who add members at once lose none', async () => {
    const group = await client.group();
    const users = await Promise.all(Array.from({ length: 8 }, () => client.user()));
    await Promise.all(
      users.map(({ id }) =>
        client.patch(`/Groups/${group.id}`, { op: 'add', path: 'members', value: [{ value: id }] }),
      ),
    );
    const { body } = await client.get(`/Groups/${group.id}`);
    expect(ids(body).sort()).toEqual(users.map(({ id }) => id).sort());
  });

  test.each<[string, object, string]>([
    ['a path to nowhere', { op: 'replace', path: 'emails[type eq "none"].value', value: 'a@b.example' }, 'noTarget'],
    ['a path that cannot be read', { op: 'add', path: 'emails[', value: 'x' }, 'invalidPath'],
    ['an operation that there is not', { op: 'move', path: 'title' }, 'invalidSyntax'],
    ['a change of the id', { op: 'replace', path: 'id', value: 'x' }, 'mutability'],
    ['a change of meta', { op: 'replace', path: 'meta.created', value: 'x' }, 'mutability'],
    ['a value of the wrong type', { op: 'replace', path: 'active', value: 'perhaps' }, 'invalidValue'],
    ['no userName left', { op: 'remove', path: 'userName' }, 'invalidValue'],
  ])('%s is refused, and nothing of the request is done', async (_name, operation, scimType) => {
    const made = await client.user({ title: 'old' });
    const first = { op: 'replace', path: 'title', value: 'new' };
    const answer = await client.patch(`/Users/${made.id}`, first, operation);
    expect([answer.status, answer.body.scimType]).toEqual([400, scimType]);
    expect((await client.get(`/Users/${made.id}`)).body).toEqual(made);
  });
});
