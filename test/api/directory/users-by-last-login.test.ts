import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { personWithPasskey } from '../../support/passkey.ts';
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

    const since = (moment: string) => listed('username', `&not_signed_in_since=${encodeURIComponent(moment)}`);
    expect(await since(at(2))).toEqual(['first', 'never', 'nor-they']);
    expect(await since('2026-01-02T01:00:00+01:00')).toEqual(['first', 'never', 'nor-they']);
    expect(await since(at(9))).toHaveLength(5);
    const wrong = await admin.get('/core/users/?not_signed_in_since=lately');
    expect([wrong.status, wrong.body]).toEqual([400, { not_signed_in_since: ['Enter a valid date/time.'] }]);

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

  test('are found by whether they have a second factor, by who may reset it', async () => {
    const { user } = server();
    const [bare, pending] = [await user([]), await user([])];
    const secured = await personWithPasskey(server());
    const { world } = server();
    const at = world.clock.now();
    await world.db.write((tx) =>
      sql`insert into devices (kind, "user", name, confirmed, created, last_updated)
        values ('svc_stages_authenticator_totp.totpdevice', ${pending.pk}, 'app', false, ${at}, ${at})`.execute(tx),
    );
    const desk = await user(['svc_core.view_user', 'svc_core.reset_user_second_factors']);
    const found = async (value: boolean) => {
      const { body } = await desk.api.get(`/core/users/?has_second_factor=${value}&page_size=100`);
      return body.results.map(({ pk }: { pk: number }) => pk);
    };
    expect(await found(true)).toEqual([secured.pk]);
    const without = await found(false);
    expect(without).toEqual(expect.arrayContaining([bare.pk, pending.pk]));
    expect(without).not.toContain(secured.pk);
    const reader = await user(['svc_core.view_user']);
    const refused = await reader.api.get('/core/users/?has_second_factor=false');
    expect([refused.status, Object.keys(refused.body)]).toEqual([400, ['has_second_factor']]);
  });
});
