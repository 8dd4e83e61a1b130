import { expect, test } from 'vitest';
import { eventsAbout } from '../../support/events.ts';
import { grantOn } from '../../support/grants.ts';

import { describeOnBoth } from '../../support/server.ts';

const path = '/events/rules/';
const view = 'svc_events.view_notificationrule';
const missing = '00000000-0000-4000-8000-000000000000';
const names = ({ results }: { results: { name: string }[] }) => results.map(({ name }) => name);

describeOnBoth('notification rules', (server) => {
  test('a rule needs only a name, and reads back', async () => {
    const { admin } = server();
    const made = await admin.post(path, { name: ' by name ' });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      pk: expect.any(String),
      name: 'by name',
      transports: [],
      severity: 'notice',
      group: null,
      group_obj: null,
    });
    const read = await admin.get(`${path}${made.body.pk}/`);
    expect(read.status).toBe(200);
    expect(read.body).toEqual(made.body);
    expect((await eventsAbout(server(), made.body.pk)).map(({ action }) => action)).toEqual(['model_created']);
  });

  test('include the whole group that they notify', async () => {
    const { admin, user } = server();
    const person = await user([], { attributes: { desk: 4 } });
    const parent = await admin.post('/core/groups/', { name: 'watchers above' });
    const group = await admin.post('/core/groups/', {
      name: 'watchers',
      users: [person.pk],
      parent: parent.body.pk,
      attributes: { floor: 2 },
    });
    const transport = await admin.post('/events/transports/', { name: 'for the watchers' });
    const { body } = await admin.post(path, {
      name: 'watched',
      severity: 'alert',
      group: group.body.pk,
      transports: [transport.body.pk, transport.body.pk],
    });
    expect(body).toMatchObject({ severity: 'alert', group: group.body.pk, transports: [transport.body.pk] });
    expect(body.group_obj).toEqual({
      pk: group.body.pk,
      num_pk: expect.any(Number),
      name: 'watchers',
      is_superuser: false,
      parent: parent.body.pk,
      parent_name: 'watchers above',
      users: [person.pk],
      member_count: 1,
      users_obj: [
        {
          pk: person.pk,
          username: person.username,
          name: person.username,
          is_active: true,
          last_login: null,
          email: '',
          attributes: { desk: 4 },
          uid: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
      ],
      attributes: { floor: 2 },
      roles: [],
      roles_obj: [],
    });
    expect((await admin.get(`${path}${body.pk}/`)).body).toEqual(body);
  });

  test.each([
    [{}, { name: ['This field is required.'] }],
    [
      { name: '', severity: 'loud', group: 'x', transports: 'all' },
      {
        name: ['This field may not be blank.'],
        severity: [expect.stringContaining('"loud" is not a valid choice.')],
        group: ['“x” is not a valid UUID.'],
        transports: ['Expected a list of items but got type "str".'],
      },
    ],
    [
      { name: 'x', group: missing, transports: [missing], severity: null },
      {
        group: [`Invalid pk "${missing}" - object does not exist.`],
        transports: [`Invalid pk "${missing}" - object does not exist.`],
        severity: ['This field may not be null.'],
      },
    ],
    [
      { name: 'x', severity: '', transports: null },
      { severity: [expect.stringContaining('"" is not a valid choice.')], transports: ['This field may not be null.'] },
    ],
    ['text', { non_field_errors: ['Invalid data. Expected a dictionary, but got str.'] }],
  ])('%j is refused', async (body, complaints) => {
    const answer = await server().admin.send('POST', path, JSON.stringify(body), {
      'content-type': 'application/json',
    });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual(complaints);
  });

  test('the name of a rule is unique', async () => {
    const { admin } = server();
    await admin.post(path, { name: 'taken' });
    const again = await admin.post(path, { name: 'taken' });
    expect(again.status).toBe(400);
    expect(again.body).toEqual({ name: ['Notification Rule with this name already exists.'] });
  });

  test('the list is filtered, searched, ordered and paged', async () => {
    const { admin } = server();
    const { body: group } = await admin.post('/core/groups/', { name: 'night shift' });
    for (const [name, severity] of [
      ['paged-1', 'alert'],
      ['paged-2', 'warning'],
      ['paged-3', 'notice'],
    ]) {
      await admin.post(path, { name, severity, group: group.pk });
    }
    const found = async (query: string) => names((await admin.get(`${path}?${query}`)).body);
    expect(await found('group__name=night+shift')).toEqual(['paged-1', 'paged-2', 'paged-3']);
    expect(await found('group__name=Night+shift')).toEqual([]);
    expect(await found('group__name=night+shift&severity=warning')).toEqual(['paged-2']);
    expect(await found('name=paged-3')).toEqual(['paged-3']);
    expect(await found('search=NIGHT+paged-1')).toEqual(['paged-1']);
    expect(await found('group__name=night+shift&ordering=-name')).toEqual(['paged-3', 'paged-2', 'paged-1']);
    expect(await found('group__name=night+shift&ordering=severity')).toEqual(['paged-1', 'paged-3', 'paged-2']);
    const second = await admin.get(`${path}?group__name=night+shift&page_size=2&page=2`);
    expect(names(second.body)).toEqual(['paged-3']);
    expect(second.body.pagination).toEqual({
      next: 0,
      previous: 1,
      count: 3,
      current: 2,
      total_pages: 2,
      start_index: 3,
      end_index: 3,
    });
    const wrong = await admin.get(`${path}?severity=loud`);
    expect(wrong.status).toBe(400);
    expect(wrong.body).toEqual({
      severity: [
        expect.stringMatching(/^Select a valid choice\. loud is not one of the available choices\. Valid choices: \w+/),
      ],
    });
  });

  test('rules require permission to view or add', async () => {
    const running = server();
    const { body: rule } = await running.admin.post(path, { name: 'for few' });
    const { body: other } = await running.admin.post(path, { name: 'for fewer' });
    expect((await running.nobody.get(path)).status).toBe(403);
    expect((await running.nobody.post(path, { name: 'nobodys' })).status).toBe(403);
    const stranger = await running.user();
    for (const where of [path, `${path}${rule.pk}/`, `${path}${missing}/`]) {
      const answer = await stranger.api.get(where);
      expect(answer.status).toBe(403);
      expect(answer.body.detail).toBe('You do not have permission to perform this action.');
    }
    await grantOn(running, stranger.pk, view, rule.pk);
    expect(names((await stranger.api.get(path)).body)).toEqual(['for few']);
    expect((await stranger.api.get(`${path}${other.pk}/`)).status).toBe(404);
    expect((await stranger.api.post(path, { name: 'not mine' })).status).toBe(403);
    const viewer = await running.user([view]);
    expect((await viewer.api.get(`${path}${missing}/`)).status).toBe(404);
    expect((await viewer.api.get(`${path}no-key/`)).status).toBe(404);
    expect((await viewer.api.get(`${path}${rule.pk}/?name=other`)).status).toBe(404);
    const adder = await running.user(['svc_events.add_notificationrule']);
    expect((await adder.api.post(path, { name: 'added blindly' })).status).toBe(201);
    expect((await adder.api.get(path)).status).toBe(403);
  });

  test('deleting a group or transport leaves the rule', async () => {
    const { admin } = server();
    const { body: group } = await admin.post('/core/groups/', { name: 'passing' });
    const { body: transport } = await admin.post('/events/transports/', { name: 'passing' });
    const { body: rule } = await admin.post(path, { name: 'staying', group: group.pk, transports: [transport.pk] });
    const usedBy = await admin.get(`/events/transports/${transport.pk}/used_by/`);
    expect(usedBy.body).toEqual([
      { app: 'svc_events', model_name: 'notificationrule', pk: rule.pk, name: 'staying', action: 'cascade_many' },
    ]);
    await admin.delete(`/core/groups/${group.pk}/`);
    await admin.delete(`/events/transports/${transport.pk}/`);
    const left = await admin.get(`${path}${rule.pk}/`);
    expect(left.body).toMatchObject({ group: null, group_obj: null, transports: [] });
    expect((await admin.patch(`${path}${rule.pk}/`, { severity: 'warning' })).body.severity).toBe('warning');
    expect((await admin.delete(`${path}${rule.pk}/`)).status).toBe(204);
  });
});
