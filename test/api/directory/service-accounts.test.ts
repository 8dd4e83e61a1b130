import { expect, test } from 'vitest';
import { eventsDuring } from '../../support/events.ts';

import { describeOnBoth } from '../../support/server.ts';

const day = 86_400_000;

describeOnBoth('service accounts', (server) => {
  const create = (values: Record<string, unknown>, api = server().admin) =>
    api.post('/core/users/service_account/', values);
  const tokensOf = async (username: string) =>
    (await server().admin.get(`/core/tokens/?user__username=${encodeURIComponent(username)}`)).body.results;

  test('an account comes with an app password for 360 days', async () => {
    const { admin, world } = server();
    const made = await create({ name: 'backup robot' });
    expect(made.status).toBe(200);
    expect(made.body).toEqual({
      username: 'backup robot',
      token: expect.stringMatching(/^[A-Za-z0-9]{60}$/),
      user_uid: expect.stringMatching(/^[0-9a-f]{64}$/),
      user_pk: expect.any(Number),
    });
    const { body: account } = await admin.get(`/core/users/${made.body.user_pk}/`);
    expect(account).toMatchObject({
      username: 'backup robot',
      name: 'backup robot',
      type: 'service_account',
      path: 'gatehouse/service-accounts',
      is_active: true,
      uid: made.body.user_uid,
      attributes: { 'gatehouse/user/token-expires': true },
    });
    const [token] = await tokensOf('backup robot');
    expect(token).toMatchObject({
      identifier: 'service-account-backup-robot-password',
      intent: 'app_password',
      expiring: true,
    });
    const daysLeft = (Date.parse(token.expires) - Date.parse(world.clock.now())) / day;
    expect(daysLeft).toBeGreaterThan(359.9);
    expect(daysLeft).toBeLessThan(360.1);
    const { body: key } = await admin.get(`/core/tokens/${token.identifier}/view_key/`);
    expect(key).toEqual({ key: made.body.token });
    expect((await server().as(made.body.token).get('/core/users/me/')).status).toBe(403);
  });

  test('an account can come with a group and without an expiry', async () => {
    const { admin } = server();
    const made = await create({ name: 'forever', create_group: true, expiring: false });
    const { body: group } = await admin.get(`/core/groups/${made.body.group_pk}/`);
    expect(group).toMatchObject({ name: 'forever', users: [made.body.user_pk] });
    expect(await tokensOf('forever')).toMatchObject([{ expiring: false, expires: null }]);
  });

  test('an account can come with a given expiry', async () => {
    await create({ name: 'until', expires: '2999-01-01T00:00:00Z' });
    expect(await tokensOf('until')).toMatchObject([{ expires: '2999-01-01T00:00:00.000000Z' }]);
  });

  test('names that look alike as identifiers do not clash', async () => {
    expect((await create({ name: 'look alike' })).status).toBe(200);
    expect((await create({ name: 'look-alike' })).status).toBe(200);
    expect((await create({ name: '機械' })).status).toBe(200);
    expect((await create({ name: '机器' })).status).toBe(200);
  });

  test('taken or invalid names are refused and leave nothing behind', async () => {
    const { admin } = server();
    await admin.post('/core/groups/', { name: 'taken by a group' });
    const refusal = { non_field_errors: ['A user/group with these details already exists'] };
    const before = (await admin.get('/core/users/')).body.pagination.count;
    const clash = await create({ name: 'taken by a group', create_group: true });
    expect([clash.status, clash.body]).toEqual([400, refusal]);
    expect((await create({ name: 'admin' })).body).toEqual(refusal);
    expect((await create({})).body).toEqual({ name: ['This field is required.'] });
    expect((await create({ name: 'x'.repeat(151), expires: 'soon' })).body).toEqual({
      name: ['Ensure this field has no more than 150 characters.'],
      expires: [expect.stringMatching(/^Datetime has wrong format/)],
    });
    // It would look like the administrator's.
    expect((await create({ name: 'ad\u200bmin' })).body).toEqual({ name: ['Invisible characters are not allowed.'] });
    expect((await admin.get('/core/users/')).body.pagination.count).toBe(before);
  });

  test('require the permissions to add users, tokens and, if requested, groups', async () => {
    const { user } = server();
    const cases: [string[], boolean, number][] = [
      [[], false, 403],
      [['svc_core.add_user'], false, 403],
      [['svc_core.add_user', 'svc_core.add_token'], true, 403],
      [['svc_core.add_user', 'svc_core.add_token'], false, 200],
      [['svc_core.add_user', 'svc_core.add_token', 'svc_core.add_group'], true, 200],
    ];
    for (const [index, [permissions, create_group, status]] of cases.entries()) {
      const caller = await user(permissions);
      const answer = await create({ name: `asked ${index}`, create_group }, caller.api);
      expect([permissions, answer.status]).toEqual([permissions, status]);
    }
  });

  test('record one event without the password', async () => {
    let token = '';
    const events = await eventsDuring(server(), async () => {
      token = (await create({ name: 'recorded', create_group: true })).body.token;
    });
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ action: 'model_created', context: { model: { name: 'recorded' } } });
    expect(events[0]?.text).not.toContain(token);
  });
});
