import { beforeAll, expect, test } from 'vitest';
import { eventsAbout } from '../../support/events.ts';
import { grantOn } from '../../support/grants.ts';
import { describeOnBoth } from '../../support/server.ts';

const path = '/stages/invitation/invitations/';
const dayMs = 86_400_000;

describeOnBoth('invitations', (server) => {
  let flow: { pk: string; slug: string };
  const make = async (name: string, more = {}, api = server().admin) => {
    const { status, body } = await api.post(path, { name, ...more });
    expect(status).toBe(201);
    return body;
  };

  beforeAll(async () => {
    flow = (await server().admin.get('/flows/instances/default-source-enrollment/')).body;
  });

  test('an invitation shows who made it and, whole, the flow it is for', async () => {
    const expires = '2031-05-06T07:08:09.123456Z';
    const made = await make('whole', { expires, fixed_data: { group: 'x', n: [1] }, single_use: true, flow: flow.pk });
    const { status, body } = await server().admin.get(`${path}${made.pk}/`);
    expect(status).toBe(200);
    expect(body).toEqual({
      pk: made.pk,
      name: 'whole',
      expires,
      fixed_data: { group: 'x', n: [1] },
      created_by: {
        pk: expect.any(Number),
        username: 'admin',
        name: 'Gatehouse Default Admin',
        is_active: true,
        last_login: null,
        email: 'root@example.com',
        attributes: {},
        uid: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
      single_use: true,
      flow: flow.pk,
      flow_obj: flow,
    });
    const { token, link, ...shown } = made;
    expect([body, typeof token, typeof link]).toEqual([shown, 'string', 'string']);
    expect((await eventsAbout(server(), made.pk)).map(({ action, username }) => [action, username])).toEqual([
      ['model_created', 'admin'],
    ]);
  });

  test('an invitation with only a name is for any flow and one day', async () => {
    const before = Date.now();
    const made = await make('plain');
    expect(made).toMatchObject({ fixed_data: {}, single_use: false, flow: null, flow_obj: null });
    expect(made.link).toContain(`/if/flow/default-enrollment-flow/?itoken=${made.token}`);
    const lasts = Date.parse(made.expires) - before;
    expect(lasts).toBeGreaterThan(dayMs - 1000);
    expect(lasts).toBeLessThan(dayMs + 60_000);
    const cleared = await server().admin.patch(`${path}${made.pk}/`, { expires: null });
    expect(Date.parse(cleared.body.expires)).toBeGreaterThanOrEqual(Date.parse(made.expires));
  });

  test('the maker stays the maker, whatever a body says', async () => {
    const maker = await server().user([
      'svc_stages_invitation.add_invitation',
      'svc_stages_invitation.view_invitation',
    ]);
    const made = await make('mine', { created_by: 1 }, maker.api);
    expect(made.created_by.pk).toBe(maker.pk);
    const changed = await server().admin.patch(`${path}${made.pk}/`, { created_by: 1, single_use: true });
    expect(changed.body).toMatchObject({ single_use: true, created_by: { pk: maker.pk } });
    await server().admin.delete(`/core/users/${maker.pk}/`);
    expect((await server().admin.get(`${path}${made.pk}/`)).status).toBe(404);
  });

  test('bad values are refused, all at once', async () => {
    const { status, body } = await server().admin.post(path, {
      name: 'not a slug!',
      expires: 'tomorrow',
      fixed_data: ['x'],
      single_use: 'perhaps',
      flow: 'x',
    });
    expect(status).toBe(400);
    expect(body).toEqual({
      name: ['Enter a valid "slug" consisting of letters, numbers, underscores or hyphens.'],
      expires: [
        'Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].',
      ],
      fixed_data: ['Value must be a dictionary, and not have any duplicate keys.'],
      single_use: ['Must be a valid boolean.'],
      flow: ['“x” is not a valid UUID.'],
    });
    expect((await server().admin.post(path, { name: 'x'.repeat(51) })).body).toEqual({
      name: ['Ensure this field has no more than 50 characters.'],
    });
    expect((await server().admin.post(path, { name: '' })).body).toEqual({ name: ['This field may not be blank.'] });
    const missing = '77777777-7777-7777-7777-777777777777';
    expect((await server().admin.post(path, { name: 'x', flow: missing })).body).toEqual({
      flow: [`Invalid pk "${missing}" - object does not exist.`],
    });
  });

  test('invitations are filtered, searched and ordered', async () => {
    const writer = await server().user(['svc_stages_invitation.add_invitation'], { username: 'writer' });
    await make('fa', { expires: '2030-01-01T00:00:00Z', flow: flow.pk }, writer.api);
    await make('fb', { expires: '2030-02-01T00:00:00Z' }, writer.api);
    const found = async (query: string) => {
      const { status, body } = await server().admin.get(`${path}?created_by__username=writer&${query}`);
      expect([query, status]).toEqual([query, 200]);
      return body.results.map(({ name }: { name: string }) => name);
    };
    expect(await found('')).toEqual(['fb', 'fa']);
    expect(await found('ordering=expires')).toEqual(['fa', 'fb']);
    expect(await found('name=fa')).toEqual(['fa']);
    expect(await found(`flow__slug=${flow.slug}`)).toEqual(['fa']);
    expect(await found('expires=2030-02-01T00:00:00Z')).toEqual(['fb']);
    expect(await found('search=writer')).toEqual(['fb', 'fa']);
    expect(await found('search=source-enroll')).toEqual(['fa']);
    expect((await server().admin.get(`${path}?expires=soon`)).body).toEqual({ expires: ['Enter a valid date/time.'] });
  });

  test('a flow that goes leaves the invitation open to others', async () => {
    const values = { name: 'g', slug: 'going', title: 'G', designation: 'enrollment' };
    const going = (await server().admin.post('/flows/instances/', values)).body;
    const made = await make('left', { flow: going.pk });
    await server().admin.delete('/flows/instances/going/');
    expect((await server().admin.get(`${path}${made.pk}/`)).body).toMatchObject({ flow: null, flow_obj: null });
  });

  test('invitations are visible by permission', async () => {
    const [mine, other] = [await make('seen'), await make('unseen')];
    expect((await server().nobody.get(`${path}${mine.pk}/`)).status).toBe(403);
    const user = await server().user();
    expect((await user.api.get(`${path}${mine.pk}/`)).status).toBe(403);
    await grantOn(server(), user.pk, 'svc_stages_invitation.view_invitation', mine.pk);
    expect((await user.api.get(`${path}${mine.pk}/`)).status).toBe(200);
    expect((await user.api.get(`${path}${other.pk}/`)).status).toBe(404);
    expect((await user.api.delete(`${path}${mine.pk}/`)).status).toBe(403);
    for (const key of ['88888888-8888-8888-8888-888888888888', 'nonsense', '1']) {
      expect((await server().admin.get(`${path}${key}/`)).status).toBe(404);
    }
  });

  test('invitation stages are filtered by whether a flow uses them', async () => {
    const stages = '/stages/invitation/stages/';
    const used = (await server().admin.post(stages, { name: 'used' })).body;
    expect(used).toMatchObject({
      continue_flow_without_invitation: false,
      component: 'xak-stage-invitation-form',
      flow_set: [],
    });
    const unused = await server().admin.post(stages, { name: 'unused', continue_flow_without_invitation: true });
    await server().admin.post('/flows/bindings/', { target: flow.pk, stage: used.pk, order: 9 });
    const found = async (query: string) =>
      (await server().admin.get(`${stages}?${query}`)).body.results.map(({ name }: { name: string }) => name);
    expect(await found('no_flows=true')).toEqual(['unused']);
    expect(await found('no_flows=false')).toEqual(['default-enrollment-invitation', 'used']);
    expect(await found('continue_flow_without_invitation=true')).toEqual(['unused']);
    expect(await found(`stage_uuid=${unused.body.pk}`)).toEqual(['unused']);
  });
});
