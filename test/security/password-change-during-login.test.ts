import { setTimeout } from 'node:timers/promises';
import { hash } from '@node-rs/argon2';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openBrowser } from '../support/flow-client.ts';
import { until } from '../support/jobs.ts';
import { made, makeWalk, unique } from '../support/make-walk.ts';
import { newPassword, openRecovery } from '../support/recovery.ts';
import { isSignedIn, password, personWithPassword } from '../support/second-factor.ts';
import { describeOnBoth } from '../support/server.ts';

const dummy = { component: 'xak-stage-dummy' };
const backends = ['svc.core.auth.InbuiltBackend'];

describeOnBoth('a password change during a login', (server) => {
  const change = (pk: number) => server().admin.post(`/core/users/${pk}/set_password/`, { password: 'a new horse' });

  test('is over for whoever knew the old one, however long they kept it', async () => {
    const { slug } = await makeWalk(
      server(),
      [['identification', { user_fields: ['username'] }], ['password', { backends }], ['dummy'], ['user_login']],
      { designation: 'authentication' },
    );
    const { pk, username } = await personWithPassword(server());
    const browser = openBrowser(server());
    await browser.show(slug);
    await browser.answer(slug, { uid_field: username });
    expect((await browser.answer(slug, { password })).body).toMatchObject(dummy);
    await browser.show(slug, 'next=/if/user/');
    expect((await change(pk)).status).toBe(204);
    expect((await browser.answer(slug, dummy)).body.component).toBe('xak-stage-identification');
    expect(await isSignedIn(browser)).toBe(false);
    await browser.answer(slug, { uid_field: username });
    await browser.answer(slug, { password: 'a new horse' });
    await browser.answer(slug, dummy);
    expect(await isSignedIn(browser)).toBe(true);
  });

  /** A user whose password takes much longer to check than a new one to set. */
  async function slowToCheck() {
    const user = await server().user();
    const slow = await hash(password, { memoryCost: 131_072, timeCost: 16 });
    await server().world.db.write((tx) => sql`update users set password = ${slow} where pk = ${user.pk}`.execute(tx));
    return user;
  }

  test('signs no user in who gave the old one just before', async () => {
    const { pk: password_stage } = await made(server(), '/stages/password/', { name: unique('password'), backends });
    const { slug } = await makeWalk(
      server(),
      [['identification', { user_fields: ['username'], password_stage }], ['user_login']],
      { designation: 'authentication' },
    );
    const { pk, username } = await slowToCheck();
    const browser = openBrowser(server());
    await browser.show(slug);
    const attempts = async () =>
      (await sql`select 1 from sign_in_attempts`.execute(server().world.db.read)).rows.length;
    const before = await attempts();
    const signingIn = browser.answer(slug, { uid_field: username, password });
    // It is counted in the transaction that reads the hash.
    await until(async () => (await attempts()) > before);
    expect((await change(pk)).status).toBe(204);
    expect((await signingIn).body.component).toBe('xak-stage-access-denied');
    expect(await isSignedIn(browser)).toBe(false);
    await browser.show(slug);
    await browser.answer(slug, { uid_field: username, password: 'a new horse' });
    expect(await isSignedIn(browser)).toBe(true);
  });

  test('is over although the new one was sent before the old one was given', async () => {
    const stages = [
      ['identification', { user_fields: ['username'] }],
      ['password', { backends }],
    ] as const;
    const { slug } = await makeWalk(server(), [...stages, ['dummy'], ['user_login']], {
      designation: 'authentication',
    });
    const { pk, username } = await personWithPassword(server());
    for (let delay = 0; delay < 40; delay += 4) {
      await server().admin.post(`/core/users/${pk}/set_password/`, { password });
      const browser = openBrowser(server());
      await browser.show(slug);
      await browser.answer(slug, { uid_field: username });
      const changing = change(pk);
      await setTimeout(delay);
      await browser.answer(slug, { password });
      expect((await changing).status).toBe(204);
      await browser.answer(slug, dummy);
      expect(await isSignedIn(browser)).toBe(false);
    }
  });

  /** A new password by a link, and a sign-in with a step between. */
  const recovery = () =>
    openRecovery(server(), [['user_write', { user_creation_mode: 'never_create' }], ['dummy'], ['user_login']]);

  test('is over for whoever had opened a link before', async () => {
    const { browser, slug, user } = await recovery();
    await change(user.pk);
    await browser.answer(slug, newPassword);
    await browser.answer(slug, dummy);
    expect(await isSignedIn(browser)).toBe(false);
  });

  test('goes on if it is the walk that changed it', async () => {
    const { browser, slug } = await recovery();
    expect((await browser.answer(slug, newPassword)).body).toMatchObject(dummy);
    await browser.answer(slug, dummy);
    expect(await isSignedIn(browser)).toBe(true);
  });
});
