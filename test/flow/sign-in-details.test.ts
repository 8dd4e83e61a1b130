import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openBrowser } from '../support/flow-client.ts';
import { made, makeWalk, unique } from '../support/make-walk.ts';
import { recoverBy } from '../support/recovery.ts';
import { password, personWithPassword } from '../support/second-factor.ts';
import { describeOnSqlite } from '../support/server.ts';

const backends = ['svc.core.auth.InbuiltBackend'];
const denied = 'xak-stage-access-denied';

describeOnSqlite('what a sign-in shows and counts', (server) => {
  const nameAsked = ['identification', { user_fields: ['username'] }] as const;
  const passwordAsked = ['password', { backends }] as const;

  /** What the flow shows after this name was entered. */
  async function named(slug: string, uid_field: string) {
    const browser = openBrowser(server());
    await browser.show(slug);
    return { browser, body: (await browser.answer(slug, { uid_field })).body };
  }

  test('the password screen offers recovery: by the flow of the identification stage, else by that of the brand', async () => {
    const { username } = await server().user();
    const own = await makeWalk(server(), [], { designation: 'recovery' });
    const ofBrand = await makeWalk(server(), [], { designation: 'recovery' });
    const signIn = (...stages: Parameters<typeof makeWalk>[1]) =>
      makeWalk(server(), stages, { designation: 'authentication' });
    const plain = await signIn(nameAsked, passwordAsked);
    const named_ = await signIn(
      ['identification', { user_fields: ['username'], recovery_flow: own.pk }],
      passwordAsked,
    );
    const other = await makeWalk(server(), [nameAsked, passwordAsked]);
    const urlAt = async (slug: string) => (await named(slug, username)).body.recovery_url;
    expect([await urlAt(plain.slug), await urlAt(named_.slug)]).toEqual([undefined, `/if/flow/${own.slug}/`]);
    await recoverBy(server(), ofBrand.pk);
    expect([await urlAt(plain.slug), await urlAt(named_.slug)]).toEqual([
      `/if/flow/${ofBrand.slug}/`,
      `/if/flow/${own.slug}/`,
    ]);
    // Who is changing their password here is signed in.
    expect(await urlAt(other.slug)).toBeUndefined();
    expect((await named(plain.slug, 'nobody-here')).body.recovery_url).toBe(`/if/flow/${ofBrand.slug}/`);
    await recoverBy(server(), null);
  });

  test.each(['restart', 'restart_with_context'])('wrong passwords are counted across a %s', async (how) => {
    const { username } = await personWithPassword(server());
    const { slug } = await makeWalk(server(), [
      nameAsked,
      ['password', { backends, failed_attempts_before_cancel: 2 }, { invalid_response_action: how }],
    ]);
    const { browser, body } = await named(slug, username);
    expect(body.component).toBe('xak-stage-password');
    expect((await browser.answer(slug, { password: 'wrong' })).body.component).toBe('xak-stage-identification');
    await browser.answer(slug, { uid_field: username });
    const last = await browser.answer(slug, { password: 'wrong again' });
    expect(last.body).toMatchObject({ component: denied, error_message: 'Too many failed attempts.' });
    const another = await named(slug, username);
    expect((await another.browser.answer(slug, { password })).body.component).toBe('xak-flow-redirect');
  });

  const scoreOf = async (identifier: string): Promise<number> => {
    const { rows } = await sql<{ score: number }>`select score from policy_reputation_scores
      where identifier = ${identifier}`.execute(server().world.db.read);
    return Number(rows[0]?.score ?? 0);
  };

  test('a name that no user has lowers its reputation where it is refused at once', async () => {
    const { username } = await server().user();
    const strict = ['identification', { user_fields: ['username'], pretend_user_exists: false }] as const;
    const { slug } = await makeWalk(server(), [strict, passwordAsked]);
    const guess = unique('guess');
    const browser = openBrowser(server());
    await browser.show(slug);
    for (const uid_field of [guess, guess, username]) await browser.answer(slug, { uid_field });
    expect([await scoreOf(guess), await scoreOf(username)]).toEqual([-2, 0]);
  });

  test('a step for names of bad reputation is shown for names that no user has, too', async () => {
    const { slug, bindings } = await makeWalk(server(), [
      nameAsked,
      ['deny', { deny_message: 'Not now.' }],
      passwordAsked,
    ]);
    const policy = await made(server(), '/policies/reputation/', {
      ...{ name: unique('reputation'), check_ip: false, check_username: true, threshold: -2 },
    });
    const bound = { target: bindings[1]?.target, policy: policy.pk, order: 0 };
    await made(server(), '/policies/bindings/', bound);
    const guessing = await makeWalk(server(), [nameAsked, passwordAsked]);
    const { username } = await personWithPassword(server());
    for (const name of [username, unique('nobody')]) {
      expect((await named(slug, name)).body.component).toBe('xak-stage-password');
      const { browser } = await named(guessing.slug, name);
      for (let n = 0; n < 2; n++) await browser.answer(guessing.slug, { password: 'wrong' });
      expect((await named(slug, name)).body).toMatchObject({ component: denied, error_message: 'Not now.' });
    }
  });

  test('users are shown as the settings say, names that were only typed by their initials', async () => {
    const picture = 'https://pictures.example/ada.png';
    const { admin } = server();
    const user = await server().user([], { attributes: { avatar: picture } });
    const setting = (avatars: string) => admin.patch('/admin/settings/', { avatars });
    const avatarAt = async (show_matched_user: boolean) => {
      const { slug } = await makeWalk(server(), [
        ['identification', { user_fields: ['username'], show_matched_user }],
        passwordAsked,
      ]);
      return (await named(slug, user.username)).body.pending_user_avatar;
    };
    expect(await avatarAt(true)).toMatch(/^data:image/);
    expect((await setting('attributes.avatar,initials')).status).toBe(200);
    expect(await avatarAt(true)).toBe(picture);
    expect(await avatarAt(false)).toMatch(/^data:image/);
    expect((await setting('initials')).status).toBe(200);
    expect(await avatarAt(true)).toMatch(/^data:image/);
  });
});
