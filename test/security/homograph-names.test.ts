import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { fillNameKeys, listAmbiguousNames } from '../../src/core/directory/name-keys.ts';
import { openBrowser, signInByPassword } from '../support/flow-client.ts';
import { makePrompt, makeWalk, unique } from '../support/make-walk.ts';
import { password, userIn } from '../support/second-factor.ts';
import { describeOnBoth } from '../support/server.ts';

const taken = 'This field must be unique.';
const alike = 'It is, or looks like, the name or the address of another user.';

describeOnBoth('homographs: names of users', (server) => {
  const create = (values: object) => server().admin.post('/core/users/', { name: 'x', ...values });
  const person = async (username: string, values: object = {}): Promise<number> => {
    const made = await create({ username, ...values });
    if (made.status !== 201) throw new Error(made.text);
    await server().admin.post(`/core/users/${made.body.pk}/set_password/`, { password });
    return made.body.pk;
  };
  /** Whom this name signs in, by the flow that a fresh server has. */
  const signsIn = async (name: string): Promise<number | null> => {
    const browser = openBrowser(server());
    await signInByPassword(browser, name, password);
    return userIn(browser);
  };

  test.each([
    ['Émile', 'émile'],
    ['Straße', 'STRASSE'],
    ['Дмитрий', 'дмитрий'],
    ['Ｋａｔｅ', 'kate'],
    ['Amélie', 'Ame\u0301lie'],
  ])('%s is found and refused as %s', async (name, other) => {
    const end = unique('');
    const pk = await person(name + end);
    expect(await signsIn(other + end)).toBe(pk);
    expect((await create({ username: other + end })).body).toEqual({ username: [taken] });
    expect((await server().admin.patch(`/core/users/${pk}/`, { username: other + end })).status).toBe(200);
    expect(await signsIn(name + end)).toBe(pk);
  });

  test.each([
    ['paypal', 'pаypal'],
    ['paypal', 'PАYPAL'],
    ['scope', 'ѕсоре'],
    ['milad', 'mılad'],
  ])('beside %s a name that looks like it is refused, and does not sign in: %s', async (name, other) => {
    const end = unique('');
    const pk = await person(name + end);
    expect((await create({ username: other + end })).body).toEqual({ username: [taken, alike] });
    expect(await signsIn(other + end)).toBeNull();
    expect(await signsIn(name + end)).toBe(pk);
    const others = await person(unique('other'));
    expect((await server().admin.patch(`/core/users/${others}/`, { username: other + end })).status).toBe(400);
    const robot = await server().admin.post('/core/users/service_account/', { name: other + end });
    expect(robot.status).toBe(400);
  });

  test('ASCII names are refused for no likeness', async () => {
    const end = unique('');
    for (const name of ['bob1', 'bobl', 'b0b1', 'rnary', 'mary', 'adm1n1', 'admini', 'muller', 'müller'])
      expect((await create({ username: name + end })).status).toBe(201);
  });

  test('addresses are folded and compared alike', async () => {
    const end = unique('');
    const pk = await person(unique('a'), { email: `Élise${end}@example.com` });
    const email = (address: string) => create({ username: unique('b'), email: address });
    const inUse = 'User with this email already exists.';
    expect((await email(`élise${end}@EXAMPLE.com`)).body).toEqual({ email: [inUse] });
    expect((await email(`éliѕe${end}@example.com`)).body).toEqual({ email: [inUse, alike] });
    expect(await signsIn(`ÉLISE${end}@example.com`)).toBe(pk);
  });

  test('a name is no other user’s address, and an address no other user’s name', async () => {
    const email = `${unique('ceo')}@example.com`;
    const ceo = await person(unique('ceo'), { email });
    expect((await create({ username: email.toUpperCase() })).body).toEqual({ username: [taken, alike] });
    const username = `${unique('cfo')}@example.com`;
    const cfo = await person(username);
    const inUse = 'User with this email already exists.';
    expect((await create({ username: unique('x'), email: username })).body).toEqual({ email: [inUse, alike] });
    expect((await server().admin.patch(`/core/users/${cfo}/`, { email: username })).status).toBe(200);
    expect(await signsIn(email)).toBe(ceo);
    const fields = [await makePrompt(server(), 'username', 'username')];
    const { slug } = await makeWalk(server(), [['prompt/stages', { fields }], ['user_write']], {
      designation: 'enrollment',
    });
    const browser = openBrowser(server());
    await browser.show(slug);
    const { body } = await browser.answer(slug, { username: email });
    expect(body.response_errors.username[0].string).toBe('Username is already taken.');
  });

  test('only one of several users created at once with names that fold alike is stored', async () => {
    const end = unique('');
    const names = ['Zoë', 'ZOË', 'zoe\u0308', 'Zoё'].map((name) => name + end);
    const made = await Promise.all(names.map((username) => create({ username })));
    expect(made.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(made.filter(({ status }) => status === 400)).toHaveLength(3);
  });

  test('twins from before keep working by their exact names, and are listed', async () => {
    const end = unique('');
    const { db } = server().world;
    const pks = [await person(unique('first')), await person(unique('second'))];
    const names = [`Élan${end}`, `élan${end}`];
    // As an earlier release wrote them, in which `lower()` knew ASCII letters alone.
    for (const [index, pk] of pks.entries())
      await db.write((tx) =>
        sql`update users set username = ${names[index]}, username_key = null where pk = ${pk}`.execute(tx),
      );
    expect(await fillNameKeys(db)).toBe(1);
    expect(await signsIn(names[0] as string)).toBe(pks[0]);
    expect(await signsIn(names[1] as string)).toBe(pks[1]);
    expect(await signsIn(`ÉLAN${end}`)).toBeNull();
    expect(await listAmbiguousNames(db.read)).toContain(
      `${names[1]} (user ${pks[1]}) and ${names[0]} (user ${pks[0]})`,
    );
    const changed = await server().admin.patch(`/core/users/${pks[1]}/`, { username: names[1], name: 'Élan' });
    expect(changed.status).toBe(200);
    expect((await create({ username: `éLAN${end}` })).status).toBe(400);
    await server().admin.patch(`/core/users/${pks[1]}/`, { username: `other${end}` });
    expect(await signsIn(`ÉLAN${end}`)).toBe(pks[0]);
  });

  test('a name from before that is the verified address of another user identifies neither', async () => {
    const email = `${unique('boss')}@example.com`;
    const boss = await person(unique('boss'), { email });
    const other = await person(unique('other'));
    const { db } = server().world;
    await db.write((tx) =>
      sql`update users set username = ${email}, username_key = ${email} where pk = ${other}`.execute(tx),
    );
    expect(await signsIn(email)).toBeNull();
    await server().admin.patch(`/core/users/${boss}/`, { email_verified: false });
    expect(await signsIn(email)).toBe(other);
  });
});
