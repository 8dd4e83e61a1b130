import { expect, test } from 'vitest';
import { openBrowser } from '../support/flow-client.ts';
import { made, makePrompt, makeWalk, unique } from '../support/make-walk.ts';
import { describeOnSqlite } from '../support/server.ts';
import { signedInBrowser } from '../support/signed-in-browser.ts';

// A superuser who opened an invitation while signed in had their name and password rewritten by it.
describeOnSqlite('an enrolment changes no existing account', (server) => {
  const enrolment = async (designation: string) =>
    makeWalk(
      server(),
      [
        ['invitation/stages'],
        [
          'prompt/stages',
          { fields: [await makePrompt(server(), 'email', 'email'), await makePrompt(server(), 'name', 'text')] },
        ],
        ['user_write', { user_creation_mode: 'create_when_required' }],
      ],
      { designation },
    );
  const invite = (values: object) =>
    made(server(), '/stages/invitation/invitations/', { name: unique('invite'), ...values });

  test.each(['enrollment', 'stage_configuration'])(
    'an invitation opened by a signed-in user does not change their account (%s)',
    async (designation) => {
      const walk = await enrolment(designation);
      const { token } = await invite({ flow: walk.pk, fixed_data: { username: unique('guest') } });
      const admin = (await server().admin.get('/core/users/me/')).body.user;
      const browser = await signedInBrowser(server(), admin.pk);
      await browser.show(walk.slug, `itoken=${token}`);
      await browser.answer(walk.slug, { email: `${unique('mail')}@example.org`, name: 'Guest' });
      expect((await server().admin.get('/core/users/me/')).body.user).toEqual(admin);
    },
  );

  test('an enrolment without an invitation does not change the signed-in user either', async () => {
    const username = unique('made');
    const prompts = [await makePrompt(server(), 'username', 'text'), await makePrompt(server(), 'name', 'text')];
    const stages = [
      ['prompt/stages', { fields: prompts }],
      ['user_write', { user_creation_mode: 'create_when_required' }],
    ] as const;
    const walk = await makeWalk(server(), stages, { designation: 'enrollment' });
    const person = await server().user();
    const browser = await signedInBrowser(server(), person.pk);
    await browser.show(walk.slug);
    await browser.answer(walk.slug, { username, name: 'x' });
    expect((await server().admin.get(`/core/users/${person.pk}/`)).body.username).toBe(person.username);
    expect((await server().admin.get(`/core/users/?username=${username}`)).body.results).toHaveLength(1);
  });

  test('an invitation cannot set a password', async () => {
    for (const fixed_data of [{ password: 'known to me' }, { password_repeat: 'x' }, { Password: 'x' }]) {
      const { status, body } = await server().admin.post('/stages/invitation/invitations/', { name: 'p', fixed_data });
      expect([status, Object.keys(body)]).toEqual([400, ['fixed_data']]);
    }
  });

  test('the fixed data of an invitation cannot be changed by the invited person', async () => {
    const walk = await enrolment('enrollment');
    const email = `${unique('fixed')}@example.org`;
    const username = unique('guest');
    const { token } = await invite({ flow: walk.pk, fixed_data: { username, email } });
    const browser = openBrowser(server());
    await browser.show(walk.slug, `itoken=${token}`);
    await browser.answer(walk.slug, { email: `${unique('another')}@example.org`, name: 'Guest' });
    const [user] = (await server().admin.get(`/core/users/?username=${username}`)).body.results;
    expect(user).toMatchObject({ username, email, name: 'Guest' });
  });
});
