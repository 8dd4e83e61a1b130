import { expect, test } from 'vitest';
import { isAmbiguousName } from '../../src/core/directory/known-by-attribute.ts';
import { scopeByNames } from '../../src/provider/sync/scope.ts';
import { scimClient } from '../protocol/scim/scim-client.ts';
import { openBrowser } from '../support/flow-client.ts';
import { made, makeWalk, unique } from '../support/make-walk.ts';
import { describeOnBoth } from '../support/server.ts';

// `Admin` beside `admin`: who signs in as which?
describeOnBoth('no two users differ only in case', (server) => {
  const create = (values: object) => server().admin.post('/core/users/', { name: 'x', ...values });
  const taken = { username: ['This field must be unique.'] };
  const takenAddress = { email: ['User with this email already exists.'] };

  test('user names that differ only in case are refused', async () => {
    expect((await create({ username: 'Admin' })).body).toEqual(taken);
    expect((await create({ username: 'ADMIN' })).body).toEqual(taken);
    const username = unique('somebody');
    const { pk } = (await create({ username })).body;
    expect((await server().admin.patch(`/core/users/${pk}/`, { username: 'aDmin' })).body).toEqual(taken);
    const renamed = await server().admin.patch(`/core/users/${pk}/`, { username: username.toUpperCase() });
    expect([renamed.status, renamed.body.username]).toEqual([200, username.toUpperCase()]);
    const robot = await server().admin.post('/core/users/service_account/', { name: 'Admin' });
    expect(robot.status).toBe(400);
  });

  test('addresses that differ only in case are refused, empty ones are not', async () => {
    const email = `${unique('mail')}@example.com`;
    expect((await create({ username: unique('a'), email })).status).toBe(201);
    expect((await create({ username: unique('b'), email: email.toUpperCase() })).body).toEqual(takenAddress);
    const { pk } = (await create({ username: unique('c') })).body;
    expect((await create({ username: unique('d'), email: '' })).status).toBe(201);
    expect((await server().admin.patch(`/core/users/${pk}/`, { email })).body).toEqual(takenAddress);
  });

  // `admin` beside `admin`, with a character between that nobody sees: whom does the log name?
  test.each([
    '\u200b',
    '\u00ad',
    '\u202e',
    '\u2066',
    '\u2028',
    '\u3164',
    '\ufe0f',
    '\u0001',
    '\u007f',
    '\u0085',
    '\u001b',
    '\t',
  ])('names and addresses with the unseen character %j are refused', async (unseen) => {
    const hidden = ['Invisible characters are not allowed.'];
    expect((await create({ username: `ad${unseen}min` })).body).toEqual({ username: hidden });
    const email = `ad${unseen}min@example.com`;
    const refused = (await create({ username: unique('e'), email })).body;
    expect(refused).toEqual({ email: ['Enter a valid email address.'] });
  });

  test('only one of several users created at once with such names is stored', async () => {
    const name = unique('twin');
    const answers = await Promise.all(
      [name, name.toUpperCase(), name, name.toUpperCase()].map((username) => create({ username })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 400).map(({ body }) => body)).toEqual([taken, taken, taken]);
  });
});

// SQLite knows no upper case beyond ASCII, and neither database folds: everything compares as users are told apart.
describeOnBoth('names are compared as users are told apart', (server) => {
  /** The same name in other letters, and one that only looks like it. */
  const spelled = () => {
    const word = unique('x');
    return { name: `Émile-${word}`, others: [`E\u0301MILE-${word}`, `éｍile-${word}`], alike: `Émilе-${word}` };
  };

  test('by filters of SCIM clients', async () => {
    const client = await scimClient(server());
    const { name, others, alike } = spelled();
    const { id } = await client.user({ userName: name, emails: [{ value: `${name}@example.com` }] });
    for (const other of [name, ...others]) {
      expect([other, await client.find('Users', `userName eq "${other}"`)]).toEqual([other, [id]]);
      expect(await client.find('Users', `emails.value eq "${other}@EXAMPLE.com"`)).toEqual([id]);
      expect(await client.find('Users', `userName ne "${other}"`)).toEqual([]);
    }
    expect(await client.find('Users', `userName eq "${alike}"`)).toEqual([]);
  });

  test('when accounts of a target are linked', async () => {
    const { name, others, alike } = spelled();
    const shared = `${unique('shared')}@example.com`;
    const users = await Promise.all([name, unique('one')].map((username) => server().user([], { username })));
    const target = { leavesServiceAccounts: false, filterGroup: null } as never;
    const { db } = server().world;
    for (const other of [name, ...others]) {
      const found = await scopeByNames(db.read, target, 'user', [other, 'nobody']);
      expect([...found.values()]).toEqual([users[0]?.pk]);
    }
    expect((await scopeByNames(db.read, target, 'user', [alike])).size).toBe(0);
    await server().admin.patch('/admin/settings/', { shared_emails: true });
    for (const { pk } of users) await server().admin.patch(`/core/users/${pk}/`, { email: shared });
    expect((await scopeByNames(db.read, target, 'user', [shared])).size).toBe(0);
    await server().admin.patch('/admin/settings/', { shared_emails: false });
  });

  test('by principal names', async () => {
    const { name, others, alike } = spelled();
    const { pk, username } = await server().user([], { attributes: { upn: name } });
    const { slug } = await makeWalk(server(), [
      ['identification', { user_fields: ['upn'], show_matched_user: true }],
      ['password', { backends: ['svc.core.auth.InbuiltBackend'] }],
    ]);
    for (const [other, shown] of [...[name, ...others].map((one) => [one, username]), [alike, alike]]) {
      const browser = openBrowser(server());
      await browser.show(slug);
      expect((await browser.answer(slug, { uid_field: other })).body.pending_user).toBe(shown);
    }
    const someone = await made(server(), '/core/users/', { username: unique('twin'), name: 'Twin' });
    const { db, installId } = server().world;
    for (const value of [...others, alike])
      expect(await isAmbiguousName(db.read, { user: someone.pk, attribute: 'upn', value, installId })).toBe(true);
    expect(await isAmbiguousName(db.read, { user: pk, attribute: 'upn', value: name, installId })).toBe(false);
  });
});
