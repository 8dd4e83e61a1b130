import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openBrowser } from '../support/flow-client.ts';
import { bindExpression, makeWalk } from '../support/make-walk.ts';
import { describeOnSqlite } from '../support/server.ts';

const backends = ['svc.core.auth.InbuiltBackend'];
const atPassword = [
  ['identification', { user_fields: ['username'] }],
  ['password', { backends }],
] as const;

describeOnSqlite('a right password resets the failed attempts and the score of the user', (server) => {
  const failuresOf = async (username: string) => {
    const { db, key } = server().world;
    const subject = key.hash(`attempts:name:${username.toLowerCase()}`);
    const { rows } = await sql<{ failures: number }>`select failures from sign_in_attempts
      where subject = ${subject}`.execute(db.read);
    return rows[0]?.failures ?? 0;
  };
  const scoreOf = async (name: string) => {
    const { body } = await server().admin.get(`/policies/reputation/scores/?identifier=${name}`);
    return body.results[0].score;
  };

  test.each([
    ['the next step asks', [['dummy']], null, 'xak-stage-dummy'],
    ['the next step denies', [['deny']], null, 'xak-stage-access-denied'],
    ['nobody can tell whether the next step is due', [['dummy']], 'throw new Error("no")', 'xak-stage-access-denied'],
    ['the person is signed in', [['user_login']], null, 'xak-flow-redirect'],
    ['nothing follows', [], null, 'xak-flow-redirect'],
  ] as const)('when %s', async (_, following, policy, component) => {
    const user = await server().user();
    await server().admin.post(`/core/users/${user.pk}/set_password/`, { password: 'right horse' });
    const walk = await makeWalk(server(), [...atPassword, ...following]);
    const target = walk.bindings[2]?.target;
    if (policy && target) await bindExpression(server(), target, policy);
    const browser = openBrowser(server());
    await browser.show(walk.slug);
    await browser.answer(walk.slug, { uid_field: user.username });
    await browser.answer(walk.slug, { password: 'wrong' });
    expect([await failuresOf(user.username), await scoreOf(user.username)]).toEqual([1, -1]);
    const { body } = await browser.answer(walk.slug, { password: 'right horse' });
    expect(body.component).toBe(component);
    expect([await failuresOf(user.username), await scoreOf(user.username)]).toEqual([0, 0]);
  });
});
