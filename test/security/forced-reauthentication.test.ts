import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openBrowser, signInByPassword } from '../support/flow-client.ts';
import { makeWalk } from '../support/make-walk.ts';
import { password, personWithPassword } from '../support/second-factor.ts';
import { describeOnSqlite } from '../support/server.ts';

// Applications ask that people sign in again (prompt=login, max_age, ForceAuthn) before they do what matters.
describeOnSqlite('forced reauthentication (prompt=login, max_age)', (server) => {
  test('takes a proof: a flow that asks for none leaves as it was when they signed in', async () => {
    const { slug } = await makeWalk(server(), [['user_login']]);
    const { username, pk } = await personWithPassword(server());
    const browser = openBrowser(server());
    const signedIn = async () => {
      const { rows } = await sql`select created, ends from authenticated_sessions
        where "user" = ${pk}`.execute(server().world.db.read);
      return rows;
    };
    await signInByPassword(browser, username, password);
    const before = await signedIn();
    expect(before).toHaveLength(1);
    expect((await browser.answer(slug, {})).body.component).toBe('xak-flow-redirect');
    expect(await signedIn()).toEqual(before);
    expect((await browser.get('/core/users/me/')).body.user.pk).toBe(pk);
    await signInByPassword(browser, username, password);
    expect(await signedIn()).not.toEqual(before);
  });
});
