import { expect, test } from 'vitest';
import { changeScore } from '../../../src/kinds/policies/reputation/score.ts';
import { eventsAbout } from '../../support/events.ts';
import { grantOn } from '../../support/grants.ts';
import { describeOnBoth } from '../../support/server.ts';

const path = '/policies/reputation/';
const view = 'svc_policies_reputation.view_reputationpolicy';
const names = ({ results }: { results: { name: string }[] }) => results.map(({ name }) => name);

describeOnBoth('reputation policies', (server) => {
  test('saving a policy unchanged records no change', async () => {
    const { admin } = server();
    const values = { name: 'unchanged', threshold: -7 };
    const { pk } = (await admin.post(path, values)).body;
    expect((await admin.put(`${path}${pk}/`, values)).status).toBe(200);
    expect((await admin.patch(`${path}${pk}/`, { threshold: -8 })).status).toBe(200);
    const [, unchanged, changed] = await eventsAbout(server(), pk);
    expect([unchanged?.action, unchanged?.context.diff]).toEqual(['model_updated', {}]);
    expect(changed?.context.diff).toEqual({ threshold: { previous_value: -7, new_value: -8 } });
  });

  test('the list shows each policy whole, in the order of their names', async () => {
    const { admin } = server();
    await admin.post(path, { name: 'order-b', threshold: -10, check_ip: false });
    await admin.post(path, { name: 'order-a' });
    const { status, body } = await admin.get(`${path}?search=order-`);
    expect(status).toBe(200);
    expect(names(body)).toEqual(['order-a', 'order-b']);
    expect(body.results[0]).toEqual({
      pk: expect.any(String),
      name: 'order-a',
      execution_logging: false,
      component: 'xak-policy-reputation-form',
      verbose_name: 'Reputation Policy',
      verbose_name_plural: 'Reputation Policies',
      meta_model_name: 'svc_policies_reputation.reputationpolicy',
      bound_to: 0,
      check_ip: true,
      check_username: true,
      threshold: -5,
    });
    expect(body.pagination).toEqual({
      next: 0,
      previous: 0,
      count: 2,
      current: 1,
      total_pages: 1,
      start_index: 1,
      end_index: 2,
    });
  });

  test('every filter narrows the list, and invalid values are refused', async () => {
    const { admin, world } = server();
    const { body: made } = await admin.post(path, {
      name: 'exact',
      threshold: 42,
      check_username: false,
      execution_logging: true,
    });
    await admin.post(path, { name: 'exactly not', threshold: 43, check_ip: false });
    const finding = [
      'name=exact',
      'threshold=42',
      'threshold=42&check_ip=TRUE',
      'threshold=42&check_username=0',
      'threshold=42&execution_logging=true',
      `policy_uuid=${made.pk}`,
      'search=42',
    ];
    for (const filter of finding) expect(names((await admin.get(`${path}?${filter}`)).body), filter).toEqual(['exact']);
    for (const filter of ['name=Exact', 'threshold=42&check_ip=false', 'threshold=-42', 'name=exact&threshold=43']) {
      expect(names((await admin.get(`${path}?${filter}`)).body), filter).toEqual([]);
    }
    const { rows } = (await world.db.read
      .selectFrom('policies')
      .select(['created', 'last_updated'])
      .where('pk', '=', made.pk)
      .execute()
      .then((found) => ({ rows: found }))) as { rows: { created: string; last_updated: string }[] };
    expect(names((await admin.get(`${path}?created=${rows[0]?.created}`)).body)).toContain('exact');
    expect(names((await admin.get(`${path}?last_updated=${rows[0]?.last_updated}`)).body)).toContain('exact');
    const bad = await admin.get(`${path}?threshold=low&policy_uuid=1&created=then&last_updated=now`);
    expect(bad.status).toBe(400);
    expect(bad.body).toEqual({
      threshold: ['Enter a number.'],
      policy_uuid: ['Enter a valid UUID.'],
      created: ['Enter a valid date/time.'],
      last_updated: ['Enter a valid date/time.'],
    });
    expect((await admin.get(`${path}?check_ip=maybe`)).status).toBe(400);
  });

  test('a threshold is found at both ends of its range, and beyond them nothing is', async () => {
    const { admin } = server();
    for (const threshold of [-2147483648, 2147483647]) {
      const name = `as far as ${threshold}`;
      await admin.post(path, { name, threshold });
      expect(names((await admin.get(`${path}?threshold=${threshold}`)).body)).toEqual([name]);
    }
    for (const beyond of [-2147483649, 2147483648]) {
      const { status, body } = await admin.get(`${path}?threshold=${beyond}`);
      expect([status, names(body)]).toEqual([200, []]);
    }
  });

  test('ordering goes by stored members only', async () => {
    const { admin } = server();
    for (const [name, threshold] of [
      ['sorted-1', 3],
      ['sorted-2', 1],
      ['sorted-3', 2],
    ]) {
      await admin.post(path, { name, threshold });
    }
    const ordered = async (ordering: string) =>
      names((await admin.get(`${path}?search=sorted-&ordering=${ordering}`)).body).map((name) => name.at(-1));
    expect(await ordered('threshold')).toEqual(['2', '3', '1']);
    expect(await ordered('-threshold')).toEqual(['1', '3', '2']);
    expect(await ordered('-check_ip,-name')).toEqual(['3', '2', '1']);
    for (const unknown of ['bound_to', 'created', 'policy__name', 'nonsense']) {
      expect(await ordered(unknown), unknown).toEqual(['1', '2', '3']);
    }
  });

  test('the list shows the policies that the caller may view, all or some', async () => {
    const running = server();
    const { body: shown } = await running.admin.post(path, { name: 'shown to one' });
    expect((await running.nobody.get(path)).status).toBe(403);
    const stranger = await running.user();
    expect((await stranger.api.get(path)).status).toBe(403);
    expect((await (await running.user([view])).api.get(path)).status).toBe(200);
    await grantOn(running, stranger.pk, view, shown.pk);
    const some = await stranger.api.get(path);
    expect(names(some.body)).toEqual(['shown to one']);
    expect(some.body.pagination.count).toBe(1);
  });

  test('one of address and user name is checked, in what is stored, whatever the request names', async () => {
    const { admin } = server();
    const complaint = { non_field_errors: ['Either IP or Username must be checked'] };
    const neither = await admin.post(path, { name: 'neither', check_ip: false, check_username: false });
    expect(neither.status).toBe(400);
    expect(neither.body).toEqual(complaint);
    const { body: made } = await admin.post(path, { name: 'by name only', check_ip: false });
    expect((await admin.patch(`${path}${made.pk}/`, { check_username: false })).body).toEqual(complaint);
    expect((await admin.patch(`${path}${made.pk}/`, { threshold: 0 })).status).toBe(200);
    const bad = await admin.post(path, { name: '', check_ip: false, check_username: false, threshold: 'x' });
    expect(bad.body).toEqual({
      name: ['This field may not be blank.'],
      threshold: ['A valid integer is required.'],
    });
  });
});

describeOnBoth('reputation scores', (server) => {
  test('are summed by address and user name, listed, filtered and deleted', async () => {
    const { admin, world } = server();
    const now = world.clock.now();
    await world.db.write(async (tx) => {
      for (const by of [-1, -1, 1]) {
        await changeScore(tx, world.geo, { identifier: 'mallory', ip: '192.0.2.1', by, now });
      }
      await changeScore(tx, world.geo, { identifier: 'trudy', ip: '192.0.2.2', by: -1, now });
    });
    const scores = '/policies/reputation/scores/';
    const { body } = await admin.get(scores);
    expect(body.results).toEqual([
      {
        pk: expect.any(String),
        identifier: 'mallory',
        ip: '192.0.2.1',
        ip_geo_data: {},
        ip_asn_data: {},
        score: -1,
        updated: now,
      },
      {
        pk: expect.any(String),
        identifier: 'trudy',
        ip: '192.0.2.2',
        ip_geo_data: {},
        ip_asn_data: {},
        score: -1,
        updated: now,
      },
    ]);
    const found = async (filter: string) =>
      (await admin.get(`${scores}?${filter}`)).body.results.map((row: { identifier: string }) => row.identifier);
    expect(await found('identifier=trudy')).toEqual(['trudy']);
    expect(await found('ip=192.0.2.1')).toEqual(['mallory']);
    expect(await found('identifier_in=trudy,mallory')).toEqual(['mallory', 'trudy']);
    expect(await found('score=-1&search=192.0.2.2')).toEqual(['trudy']);
    expect(await found('score=5')).toEqual([]);
    const one = `${scores}${body.results[0].pk}/`;
    expect((await admin.get(one)).body).toEqual(body.results[0]);
    expect((await admin.put(one, {})).status).toBe(405);
    expect((await admin.delete(one)).status).toBe(204);
    expect((await admin.get(one)).status).toBe(404);
  });
});
