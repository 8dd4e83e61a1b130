import { expect, test } from 'vitest';
import { openBrowser } from '../support/flow-client.ts';
import { bindExpression, makeWalk, unique } from '../support/make-walk.ts';
import { describeOnSqlite } from '../support/server.ts';

describeOnSqlite('a policy of a step', (server) => {
  /** Where a name leads in a flow whose second step has this policy. */
  const wordsFor = async (expression: string, ...names: string[]) => {
    const walk = await makeWalk(server(), [
      ['identification', { user_fields: ['username'], pretend_user_exists: true }],
      ['deny', { deny_message: 'taken' }],
      ['deny', { deny_message: 'skipped' }],
    ]);
    await bindExpression(server(), walk.bindings[1]?.target as string, expression);
    const words: string[] = [];
    for (const uid_field of names) {
      const browser = openBrowser(server());
      await browser.show(walk.slug);
      words.push((await browser.answer(walk.slug, { uid_field })).body.error_message);
    }
    return words;
  };
  const lastException = async () => {
    const { body } = await server().admin.get('/events/events/?action=policy_exception&ordering=-created&page_size=1');
    return body.results[0].context;
  };

  test('that reads the progress of the walk decides the same for known and unknown users', async () => {
    const { username } = await server().user();
    const names = [username, unique('nobody'), username];
    expect(await wordsFor('return !context.auth_method', ...names)).toEqual(['taken', 'taken', 'taken']);
    expect(await wordsFor('return context.auth_method', ...names)).toEqual(['skipped', 'skipped', 'skipped']);
  });

  test('that reads the user or the whole context decides for each user separately', async () => {
    const [one, other] = [await server().user(), await server().user()];
    const name = JSON.stringify(one.username);
    for (const expression of [
      `return user.username === ${name}`,
      `const { pending_user_identifier } = context; return !context.auth_method && pending_user_identifier === ${name}`,
    ]) {
      expect(await wordsFor(expression, one.username, other.username, one.username)).toEqual([
        'taken',
        'skipped',
        'taken',
      ]);
    }
  });

  test('that fails records an event that names the user, whether or not it reads the user', async () => {
    const { pk, username } = await server().user();
    for (const expression of ['throw new Error("broken")', 'return user.no.such']) {
      await wordsFor(expression, username);
      expect((await lastException()).request.user).toMatchObject({ pk, username });
    }
  });
});
