import { expect, test } from 'vitest';
import { unique } from '../support/make-walk.ts';
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
