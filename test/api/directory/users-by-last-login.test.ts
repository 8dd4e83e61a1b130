import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { describeOnBoth } from '../../support/server.ts';

const at = (day: number) => `2026-01-0${day}T00:00:00.000000Z`;

describeOnBoth('users in the order of their last sign-in', (server) => {
  async function listed(ordering: string, more = ''): Promise<string[]> {
    const { body } = await server().admin.get(`/core/users/?ordering=${ordering}&path=by-login${more}`);
    return body.results.map(({ username }: { username: string }) => username);
  }

  test('follow every change, whoever makes it', async () => {
    const { admin, world } = server();
    const keys: number[] = [];
    for (const [username, last_login] of [
      ['first', at(1)],
      ['third', at(3)],
      ['never', null],
      ['second', at(2)],
      ['nor-they', null],
    ]) {
      const { status, body } = await admin.post('/core/users/', { username, name: '', path: 'by-login', last_login });
      expect(status).toBe(201);
      keys.push(body.pk);
    }
    const [first, third, never] = keys;
    expect(await listed('last_login')).toEqual(['first', 'second', 'third', 'never', 'nor-they']);
    expect(await listed('-last_login')).toEqual(['never', 'nor-they', 'third', 'second', 'first']);
    expect(await listed('last_login', '&page_size=2&page=2')).toEqual(['third', 'never']);
    expect(await listed('-last_login', '&page_size=2&page=last')).toEqual(['first']);
    expect(await listed('last_login,-username')).toEqual(['first', 'second', 'third', 'nor-they', 'never']);

    await admin.patch(`/core/users/${first}/`, { last_login: at(4) });
    // As an older version of the server does.
    await world.db.write((tx) => sql`update users set last_login = ${at(5)} where pk = ${never}`.execute(tx));
    await admin.delete(`/core/users/${third}/`);
    expect(await listed('last_login')).toEqual(['second', 'first', 'never', 'nor-they']);
    expect(await listed('last_login', '&page_size=2')).toEqual(['second', 'first']);
    expect(await listed('last_login', '&page_size=2&page=2')).toEqual(['never', 'nor-they']);
    await admin.patch(`/core/users/${first}/`, { last_login: null });
    expect(await listed('-last_login')).toEqual(['first', 'nor-they', 'never', 'second']);
    expect(await listed('-last_login', '&page_size=1')).toEqual(['first']);
    expect(await listed('last_login', '&search=ne')).toEqual(['never']);
  });
});
