import { expect, test } from 'vitest';
import { makePrompt, makeWalk, unique } from '../support/make-walk.ts';
import { describeOnSqlite } from '../support/server.ts';
import { signedInBrowser } from '../support/signed-in-browser.ts';

// Applications are told by the attribute `email_verified` that an address is its user's.
describeOnSqlite('verified email: after a change of the address', (server) => {
  const verified = { email_verified: true, team: 'blue' };

  async function person() {
    const email = `${unique('me')}@example.org`;
    const user = await server().user([], { email, attributes: verified });
    const browser = await signedInBrowser(server(), user.pk);
    const attributes = async () => (await server().admin.get(`/core/users/${user.pk}/`)).body.attributes;
    return { email, browser, attributes };
  }

  test('is not true of another, which the user enters in its place', async () => {
    const fields = [await makePrompt(server(), 'email', 'email')];
    const { slug } = await makeWalk(server(), [
      ['prompt/stages', { fields }],
      ['user_write', { user_creation_mode: 'never_create' }],
    ]);
    const { email, browser, attributes } = await person();
    const enter = async (address: string) => {
      await browser.show(slug);
      expect((await browser.answer(slug, { email: address })).body.component).toBe('xak-flow-redirect');
    };
    await enter(email);
    expect(await attributes()).toEqual(verified);
    await enter(`${unique('victim')}@example.com`);
    expect(await attributes()).toEqual({ team: 'blue' });
  });
});
