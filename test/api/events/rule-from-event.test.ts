import { expect, test } from 'vitest';
import { quiet } from '../../support/jobs.ts';
import { unique } from '../../support/make-walk.ts';
import { describeOnBoth, type TestServer } from '../../support/server.ts';

const path = '/events/rules/from_event/';
const missing = '00000000-0000-4000-8000-000000000000';
const rights = [
  ...['svc_events.add_notificationrule', 'svc_events.change_notificationrule'],
  ...['svc_policies_event_matcher.add_eventmatcherpolicy', 'svc_policies.add_policybinding'],
];
const views = ['svc_events.view_event', 'svc_core.view_group', 'svc_policies_event_matcher.view_eventmatcherpolicy'];

const makeRole = ({ admin }: TestServer) => admin.post('/rbac/roles/', { name: unique('role') });

/** The event that a role was made, and a group with one member to tell. */
async function ground(server: TestServer) {
  const { admin } = server;
  const role = (await makeRole(server)).body;
  const about = `action=model_created&context_model_pk=${role.pk}`;
  const [event] = (await admin.get(`/events/events/?${about}`)).body.results;
  const watcher = await server.user();
  const group = (await admin.post('/core/groups/', { name: unique('watchers'), users: [watcher.pk] })).body;
  // Events that still wait would be matched by a rule that is made meanwhile.
  await quiet(server);
  return { watcher, body: { event: event.pk, name: unique('rule'), group: group.pk } };
}

/** How many rules, event matchers and bindings there are. */
async function counts({ admin }: TestServer): Promise<number[]> {
  const paths = ['/events/rules/', '/policies/event_matcher/', '/policies/bindings/'];
  const lists = await Promise.all(paths.map((one) => admin.get(`${one}?page_size=1`)));
  return lists.map((list) => list.body.pagination.count);
}

describeOnBoth('a rule made from an event', (server) => {
  test('reacts to later events like it at once, and to no others', async () => {
    const { admin } = server();
    const { watcher, body } = await ground(server());
    const transport = (await admin.post('/events/transports/', { name: unique('shown') })).body.pk;
    const made = await admin.post(path, { ...body, transports: [transport], severity: 'alert' });
    expect([made.status, made.body]).toEqual([
      201,
      { rule: expect.any(String), policy: expect.any(String), binding: expect.any(String) },
    ]);
    const { rule, policy, binding } = made.body;
    expect((await admin.get(`/events/rules/${rule}/`)).body).toMatchObject({
      ...{ name: body.name, group: body.group },
      ...{ transports: [transport], severity: 'alert' },
    });
    expect((await admin.get(`/policies/event_matcher/${policy}/`)).body).toMatchObject({
      ...{ name: body.name, action: 'model_created', app: 'svc.rbac' },
      ...{ model: 'svc_rbac.role', client_ip: null },
    });
    const bound = { target: rule, policy, enabled: true, negate: false };
    expect((await admin.get(`/policies/bindings/${binding}/`)).body).toMatchObject(bound);

    const later = (await makeRole(server())).body;
    await admin.post('/core/groups/', { name: unique('other') });
    await admin.patch(`/rbac/roles/${later.pk}/`, { name: unique('renamed') });
    await quiet(server());
    expect((await watcher.api.get('/events/notifications/')).body.results).toMatchObject([
      { severity: 'alert', body: `admin created the role ${later.name}.` },
    ]);
  });

  test('reacts to all custom events if it is made from one of an unknown app', async () => {
    const { admin } = server();
    const { watcher, body } = await ground(server());
    const happen = async (action: string) =>
      (await admin.post('/events/events/', { action, app: 'elsewhere', context: { model: 1, message: action } })).body
        .pk;
    const made = await admin.post(path, { ...body, event: await happen('custom_one') });
    const matcher = (await admin.get(`/policies/event_matcher/${made.body.policy}/`)).body;
    expect(matcher).toMatchObject({ action: 'custom_', app: null, model: null });
    await quiet(server());
    await happen('custom_two');
    await quiet(server());
    const told = (await watcher.api.get('/events/notifications/')).body.results;
    expect(told.map((one: { body: string }) => one.body)).toContain('custom_two');
  });

  test('is refused with nothing written to those who may add only a part of it', async () => {
    const { body } = await ground(server());
    const before = await counts(server());
    const statuses = async (held: string[], sent: object) => {
      const { api } = await server().user([...held, ...views]);
      return [held, (await api.post(path, sent)).status];
    };
    const allBut = rights.map((left) => rights.filter((right) => right !== left));
    for (const held of [[], ...rights.map((right) => [right]), ...allBut])
      expect(await statuses(held, body)).toEqual([held, 403]);
    for (const left of [...rights, 'svc_policies_event_matcher.view_eventmatcherpolicy']) {
      const { api } = await server().user([...rights, ...views].filter((right) => right !== left));
      const { status, body: refusal } = await api.post(path, body);
      expect([status, refusal.code, refusal.required]).toEqual([403, 'permission_denied', left]);
    }
    for (const held of [[], ...rights.map((right) => [right])]) expect(await statuses(held, {})).toEqual([held, 403]);
    expect(await counts(server())).toEqual(before);
  });

  test('is made by delegates who may add its parts and view what it names', async () => {
    const { body } = await ground(server());
    const before = await counts(server());
    for (const [view, member] of Object.entries({ view_event: 'event', view_group: 'group' })) {
      const { api } = await server().user([...rights, ...views.filter((one) => !one.endsWith(`.${view}`))]);
      const answer = await api.post(path, body);
      const key = body[member as 'event' | 'group'];
      // The group is a reference like any other.
      const hint = 'If it exists, you may not see it: that takes the permission svc_core.view_group.';
      const complaints = [`Invalid pk "${key}" - object does not exist.`, ...(member === 'group' ? [hint] : [])];
      const complaint = { [member]: complaints };
      expect([view, answer.status, answer.body]).toEqual([view, 400, complaint]);
    }
    expect(await counts(server())).toEqual(before);
    const { api } = await server().user([...rights, ...views]);
    expect((await api.post(path, body)).status).toBe(201);
    expect(await counts(server())).toEqual(before.map((count) => count + 1));
  });

  test('is made wholly or not at all', async () => {
    const { admin } = server();
    const { body } = await ground(server());
    const taken = unique('taken');
    await admin.post('/policies/event_matcher/', { name: taken });
    const before = await counts(server());
    const refusals: [Record<string, unknown>, Record<string, unknown>][] = [
      [
        {},
        {
          ...{ event: ['This field is required.'], name: ['This field is required.'] },
          group: ['This field is required.'],
        },
      ],
      [{ ...body, name: taken }, { name: ['Policy with this name already exists.'] }],
      [{ ...body, event: missing }, { event: [`Invalid pk "${missing}" - object does not exist.`] }],
      [{ ...body, group: null }, { group: ['This field may not be null.'] }],
      [{ ...body, transports: [missing] }, { transports: [`Invalid pk "${missing}" - object does not exist.`] }],
    ];
    for (const [sent, complaints] of refusals) {
      const answer = await admin.post(path, sent);
      expect([answer.status, answer.body]).toEqual([400, complaints]);
    }
    expect((await admin.post(`${path}?dry_run=true`, body)).status).toBe(201);
    expect(await counts(server())).toEqual(before);
  });
});
