import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openBrowser } from '../support/flow-client.ts';
import { made, makePrompt, makeWalk, unique } from '../support/make-walk.ts';
import { describeOnSqlite } from '../support/server.ts';

// Applications and sources rely on some attributes; inviters and people who fill in forms must not choose them.
describeOnSqlite('attributes that vouch for a user', (server) => {
  const path = '/stages/invitation/invitations/';
  const vouching = [
    'email_verified',
    'phone_number_verified',
    'upn',
    'distinguishedName',
    'gatehouse/user/token-expires',
  ];
  const walk = async (keys: readonly string[], first: Parameters<typeof makeWalk>[1] = []) =>
    makeWalk(
      server(),
      [
        ...first,
        ['prompt/stages', { fields: await Promise.all(keys.map((key) => makePrompt(server(), key, 'text'))) }],
        ['user_write'],
      ],
      { designation: 'enrollment' },
    );
  const attributesOf = async (username: string) =>
    (await server().admin.get(`/core/users/?username=${username}`)).body.results[0].attributes;

  test.each(vouching)('an invitation that sets %s is refused, also in dotted form', async (name) => {
    for (const fixed_data of [{ attributes: { team: 'blue', [name]: true } }, { [`attributes.${name}`]: 'x' }]) {
      const answer = await server().admin.post(path, { name: unique('i'), fixed_data });
      expect([answer.status, answer.body]).toEqual([
        400,
        {
          fixed_data: [
            `An invitation cannot set the attribute ${name}, which vouches for the user: set it on the user afterwards.`,
          ],
        },
      ]);
    }
  });

  test('what an invitation from before sets of them is left out', async () => {
    const { slug } = await walk(['username'], [['invitation/stages']]);
    const invitation = await made(server(), path, { name: unique('i'), fixed_data: { attributes: { team: 'blue' } } });
    const stored = JSON.stringify({ attributes: { team: 'blue', upn: 'ceo@example.com', email_verified: true } });
    await server().world.db.write((tx) =>
      sql`update invitations set fixed_data = ${stored} where pk = ${invitation.pk}`.execute(tx),
    );
    const username = unique('invited');
    const browser = openBrowser(server());
    const query = `itoken=${invitation.token}`;
    await browser.show(slug, query);
    await browser.answer(slug, { username }, query);
    expect(await attributesOf(username)).toEqual({ team: 'blue' });
  });

  test('no prompt asks for them, and those from before set none', async () => {
    const prompt = { name: unique('p'), label: 'x', type: 'text', field_key: 'attributes.upn' };
    expect((await server().admin.post('/stages/prompt/prompts/', prompt)).body).toEqual({
      field_key: ['The attribute upn vouches for the user, so no prompt can set it.'],
    });
    const { slug } = await walk(['username', 'attributes.team', 'attributes.other']);
    await server().world.db.write((tx) =>
      sql`update prompts set field_key = 'attributes.upn' where field_key = 'attributes.other'`.execute(tx),
    );
    const username = unique('typed');
    const browser = openBrowser(server());
    await browser.show(slug);
    const { body } = await browser.answer(slug, {
      username,
      'attributes.team': 'red',
      'attributes.upn': 'ceo@example.com',
    });
    expect(body.component).toBe('xak-flow-redirect');
    expect(await attributesOf(username)).toEqual({ team: 'red' });
  });
});
