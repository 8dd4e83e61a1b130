import { sql } from 'kysely';
import pg from 'pg';
import { expect, test } from 'vitest';
import { copyBrowser, openBrowser, signInByPassword } from '../support/flow-client.ts';
import { bindExpression, made, makePrompt, makeWalk, unique } from '../support/make-walk.ts';
import { newPassword, openRecovery } from '../support/recovery.ts';
import { giveCodes, isSignedIn, password, personWithPassword } from '../support/second-factor.ts';
import { describeOnBoth } from '../support/server.ts';

const dummy = { component: 'xak-stage-dummy' };
const denied = { component: 'xak-stage-access-denied' };
const identifies = { component: 'xak-stage-identification' };
const byPassword: Parameters<typeof makeWalk>[1] = [
  ['identification', { user_fields: ['username'] }],
  ['password', { backends: ['svc.core.auth.InbuiltBackend'] }],
];

describeOnBoth('what changes while a user is on a walk', (server, kind) => {
  const faults = async () => {
    const { rows } = await sql`select 1 from events where action = 'system_exception'`.execute(server().world.db.read);
    return rows.length;
  };

  /** A user who has shown name and password, and stands at a step before they are signed in. */
  async function standing() {
    const walk = await makeWalk(server(), [...byPassword, ['dummy'], ['user_login']], {
      designation: 'authentication',
    });
    const user = await personWithPassword(server());
    const browser = openBrowser(server());
    await browser.show(walk.slug);
    await browser.answer(walk.slug, { uid_field: user.username });
    expect((await browser.answer(walk.slug, { password })).body).toMatchObject(dummy);
    return { walk, user, browser };
  }

  test('a stage that is deleted ends the walk, and the next one goes without it', async () => {
    const before = await faults();
    const { walk, browser } = await standing();
    expect((await server().admin.delete(`/stages/dummy/${walk.stages[2]}/`)).status).toBe(204);
    expect((await browser.answer(walk.slug, dummy)).body).toMatchObject(denied);
    expect(await isSignedIn(browser)).toBe(false);
    expect((await browser.show(walk.slug)).body).toMatchObject(identifies);
    expect(await faults()).toBe(before);
  });

  test('a flow that is deleted is not found', async () => {
    const { walk, browser } = await standing();
    expect((await server().admin.delete(`/flows/instances/${walk.slug}/`)).status).toBe(204);
    expect((await browser.answer(walk.slug, dummy)).status).toBe(404);
    expect(await isSignedIn(browser)).toBe(false);
  });

  test.each([
    ['deactivated', (pk: number) => server().admin.patch(`/core/users/${pk}/`, { is_active: false })],
    ['deleted', (pk: number) => server().admin.delete(`/core/users/${pk}/`)],
  ])('a user who is %s does not sign in', async (_, change) => {
    const before = await faults();
    const { walk, user, browser } = await standing();
    expect((await change(user.pk)).status).toBeLessThan(300);
    expect((await browser.answer(walk.slug, dummy)).body).toMatchObject(denied);
    expect(await isSignedIn(browser)).toBe(false);
    expect(await faults()).toBe(before);
  });

  const changePassword: Parameters<typeof makeWalk>[1] = [
    ['user_write', { user_creation_mode: 'never_create' }],
    ['user_login'],
  ];

  async function keepsPassword({ pk, username }: { pk: number; username: string }) {
    await server().admin.patch(`/core/users/${pk}/`, { is_active: true });
    const owner = openBrowser(server());
    await signInByPassword(owner, username, password);
    return isSignedIn(owner);
  }

  test('a user who is deactivated gets no new password by a link that was opened before', async () => {
    const { browser, slug, user } = await openRecovery(server(), changePassword);
    await server().admin.patch(`/core/users/${user.pk}/`, { is_active: false });
    expect((await browser.answer(slug, newPassword)).body).toMatchObject(denied);
    expect(await keepsPassword(user)).toBe(true);
  });

  const holdRows = kind === 'postgres' ? test : () => {};
  holdRows('nor by an answer that was on its way', async () => {
    const { browser, slug, user } = await openRecovery(server(), changePassword);
    const holder = new pg.Client({ connectionString: server().world.config.databaseUrl ?? '' });
    await holder.connect();
    await holder.query('begin');
    await holder.query('update users set is_active = false where pk = $1', [user.pk]);
    const answer = browser.answer(slug, newPassword);
    const waiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await expect.poll(async () => (await waiting.execute(server().world.db.read)).rows.length).toBe(1);
    await holder.query('commit');
    await holder.end();
    expect((await answer).body).toMatchObject(denied);
    expect(await keepsPassword(user)).toBe(true);
  });

  test('a user who is renamed signs in, and no other user who has the name since', async () => {
    const { walk, user, browser } = await standing();
    await server().admin.patch(`/core/users/${user.pk}/`, { username: unique('renamed') });
    await made(server(), '/core/users/', { username: user.username, name: '' });
    await browser.answer(walk.slug, dummy);
    expect((await browser.get('/core/users/me/')).body.user.pk).toBe(user.pk);
  });

  test('a policy that is bound counts at once', async () => {
    const { walk, browser } = await standing();
    await bindExpression(server(), walk.bindings[3]?.target as string, 'throw "no"');
    expect((await browser.answer(walk.slug, dummy)).body).toMatchObject(denied);
    expect(await isSignedIn(browser)).toBe(false);
  });

  test('a session that the walk began ends at a stage that signs out', async () => {
    const { slug } = await makeWalk(server(), [...byPassword, ['user_login'], ['user_logout']], {
      designation: 'authentication',
    });
    const { pk, username } = await personWithPassword(server());
    const browser = openBrowser(server());
    await browser.show(slug);
    await browser.answer(slug, { uid_field: username });
    expect((await browser.answer(slug, { password })).body.component).toBe('xak-flow-redirect');
    expect(await isSignedIn(browser)).toBe(false);
    const { rows } = await sql`select 1 from authenticated_sessions where "user" = ${pk}`.execute(
      server().world.db.read,
    );
    expect(rows).toEqual([]);
  });

  test('what was agreed to before a name is typed does not disclose whether it exists', async () => {
    const { slug } = await makeWalk(server(), [['consent'], ...byPassword], { designation: 'authentication' });
    const { username } = await personWithPassword(server());
    const changesCookie = async (uid_field: string) => {
      const browser = openBrowser(server());
      const { token } = (await browser.show(slug)).body;
      expect((await browser.answer(slug, { token })).body).toMatchObject(identifies);
      const before = browser.cookies.get('gatehouse_flow_plan');
      expect((await browser.answer(slug, { uid_field })).body.component).toBe('xak-stage-password');
      return browser.cookies.get('gatehouse_flow_plan') !== before;
    };
    expect(await changesCookie(unique('nobody'))).toBe(await changesCookie(username));
  });

  test('of many answers at once, one signs in', async () => {
    const { walk, user, browser } = await standing();
    const copies = Array.from({ length: 6 }, () => copyBrowser(server(), browser));
    await Promise.all(copies.map((copy) => copy.answer(walk.slug, dummy)));
    const { rows } = await sql`select 1 from authenticated_sessions where "user" = ${user.pk}`.execute(
      server().world.db.read,
    );
    expect(rows).toHaveLength(1);
  });

  test('an account that is made on the way has not shown the device of whoever makes it', async () => {
    const { username } = await personWithPassword(server());
    const [code] = await giveCodes(server(), username);
    const fields = [await makePrompt(server(), 'username', 'username')];
    const { slug } = await makeWalk(
      server(),
      [
        ...byPassword,
        ['authenticator/validate', { device_classes: ['static'], not_configured_action: 'deny' }],
        ['prompt/stages', { fields }],
        ['user_write', { user_creation_mode: 'always_create' }],
        ['user_login'],
      ],
      { designation: 'authentication' },
    );
    const browser = openBrowser(server());
    await browser.show(slug);
    await browser.answer(slug, { uid_field: username });
    await browser.answer(slug, { password });
    await browser.answer(slug, { code });
    const made = unique('made');
    await browser.answer(slug, { username: made });
    const { body } = await browser.get('/core/users/me/');
    expect(body.user.username).toBe(made);
    const { body: events } = await server().admin.get('/events/events/?action=login&ordering=-created&page_size=5');
    const login = events.results.find(({ user }: { user: { username: string } }) => user.username === made);
    expect(login.context).toMatchObject({ auth_method: null, auth_method_args: {} });
  });
});
