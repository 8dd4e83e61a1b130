import { expect, test } from 'vitest';
import { eventsAbout } from '../../support/events.ts';
import { grantOn } from '../../support/grants.ts';

import { describeOnBoth } from '../../support/server.ts';

const path = '/policies/password_expiry/';
const view = 'svc_policies_expiry.view_passwordexpirypolicy';
const change = 'svc_policies_expiry.change_passwordexpirypolicy';
const missing = '00000000-0000-4000-8000-000000000000';

describeOnBoth('password expiry policies', (server) => {
  const make = async (name: string, values = {}) =>
    (await server().admin.post(path, { name, days: 30, ...values })).body as Record<string, unknown> & { pk: string };

  test('a change of some members keeps the others and is recorded once', async () => {
    const { admin } = server();
    const made = await make('partly', { deny_only: true });
    const changed = await admin.patch(`${path}${made.pk}/`, { days: -5 });
    expect(changed.status).toBe(200);
    expect(changed.body).toEqual({
      pk: made.pk,
      name: 'partly',
      execution_logging: false,
      component: 'xak-policy-password-expiry-form',
      verbose_name: 'Password Expiry Policy',
      verbose_name_plural: 'Password Expiry Policies',
      meta_model_name: 'svc_policies_expiry.passwordexpirypolicy',
      bound_to: 0,
      days: -5,
      deny_only: true,
    });
    const events = await eventsAbout(server(), made.pk);
    expect(events.map(({ action }) => action)).toEqual(['model_created', 'model_updated']);
    expect(events[1]?.context.diff.days).toEqual({ previous_value: 30, new_value: -5 });
  });

  test('an empty change changes nothing and is recorded', async () => {
    const made = await make('untouched');
    const changed = await server().admin.patch(`${path}${made.pk}/`, {});
    expect(changed.status).toBe(200);
    expect(changed.body).toEqual(made);
    expect(await eventsAbout(server(), made.pk)).toHaveLength(2);
  });

  test('bounds of days are accepted, spellings of booleans and numbers too', async () => {
    const { pk } = await make('bounds');
    for (const days of [2147483647, -2147483648, 0, '7']) {
      const { body } = await server().admin.patch(`${path}${pk}/`, { days, deny_only: 'yes' });
      expect(body).toMatchObject({ days: Number(days), deny_only: true });
    }
  });

  test('all errors are reported at once, and nothing is written', async () => {
    const made = await make('refused');
    await make('somebody elses');
    const { status, body } = await server().admin.patch(`${path}${made.pk}/`, {
      name: ' ',
      execution_logging: 'maybe',
      days: 2147483648,
      deny_only: null,
    });
    expect(status).toBe(400);
    expect(body).toEqual({
      name: ['This field may not be blank.'],
      execution_logging: ['Must be a valid boolean.'],
      days: ['Ensure this value is less than or equal to 2147483647.'],
      deny_only: ['This field may not be null.'],
    });
    const clash = await server().admin.patch(`${path}${made.pk}/`, { name: 'somebody elses', days: 1.5 });
    expect(clash.body).toEqual({
      name: ['Policy with this name already exists.'],
      days: ['A valid integer is required.'],
    });
    expect((await server().admin.get(`${path}${made.pk}/`)).body).toEqual(made);
  });

  test('names are one namespace for all kinds; its own name is no clash', async () => {
    const { admin } = server();
    await admin.post('/policies/reputation/', { name: 'of another kind' });
    const made = await make('mine');
    const clash = await admin.patch(`${path}${made.pk}/`, { name: 'of another kind' });
    expect(clash.body).toEqual({ name: ['Policy with this name already exists.'] });
    expect((await admin.patch(`${path}${made.pk}/`, { name: 'mine' })).status).toBe(200);
  });

  test('days are required on create and replace', async () => {
    const { admin } = server();
    const { pk } = await make('replaced', { deny_only: true });
    expect((await admin.post(path, { name: 'dayless' })).body).toEqual({ days: ['This field is required.'] });
    const replaced = await admin.put(`${path}${pk}/`, { name: 'replaced anew', days: 2 });
    expect(replaced.body).toMatchObject({ name: 'replaced anew', days: 2, deny_only: true });
  });

  test('missing policies and those of other kinds give 404', async () => {
    const { admin } = server();
    const { body: other } = await admin.post('/policies/reputation/', { name: 'no expiry' });
    for (const pk of [missing, 'no-key', other.pk]) {
      const answer = await admin.patch(`${path}${pk}/`, { days: 1 });
      expect(answer.status, pk).toBe(404);
      expect(answer.body.detail).toBe('Not found.');
    }
  });

  test('writing takes the permission, globally or on the object, and superusers while users sign in through it', async () => {
    const running = server();
    const made = await make('guarded');
    const other = await make('guarded too');
    const attempt = (api: typeof running.admin, pk = made.pk) => api.patch(`${path}${pk}/`, { days: 9 });
    expect((await attempt(running.nobody)).status).toBe(403);
    expect((await attempt((await running.user()).api)).status).toBe(403);
    expect((await attempt((await running.user([view])).api)).status).toBe(403);
    expect((await attempt((await running.user([change])).api)).status).toBe(403);
    const editor = await running.user([view, change]);
    expect((await attempt(editor.api)).status).toBe(200);

    const limited = await running.user();
    await grantOn(running, limited.pk, view, made.pk);
    expect((await attempt(limited.api)).status).toBe(403);
    await grantOn(running, limited.pk, change, made.pk);
    expect((await attempt(limited.api)).status).toBe(200);
    expect((await attempt(limited.api, other.pk)).status).toBe(404);

    const signIn = (await running.admin.get('/flows/instances/default-authentication-flow/')).body.pk;
    const bound = { target: signIn, policy: made.pk, order: 900 };
    const binding = (await running.admin.post('/policies/bindings/', bound)).body.pk;
    expect((await attempt(editor.api)).status).toBe(403);
    expect((await attempt(limited.api)).status).toBe(403);
    expect((await attempt(running.admin)).status).toBe(200);
    expect((await running.admin.delete(`/policies/bindings/${binding}/`)).status).toBe(204);
  });

  test('the list is narrowed by every filter', async () => {
    const { admin } = server();
    const made = await make('filtered', { days: 12345, deny_only: true, execution_logging: true });
    for (const filter of [
      'name=filtered',
      'days=12345',
      'days=12345&deny_only=true',
      'name=filtered&execution_logging=1',
      `policy_uuid=${made.pk}`,
      'search=FILTER',
    ]) {
      const { body } = await admin.get(`${path}?${filter}`);
      expect(body.results, filter).toEqual([made]);
    }
    expect((await admin.get(`${path}?days=many`)).body).toEqual({ days: ['Enter a number.'] });
    expect((await admin.get(`${path}?policy_uuid=x`)).body).toEqual({ policy_uuid: ['Enter a valid UUID.'] });
    expect((await admin.get(`${path}?created=x`)).body).toEqual({ created: ['Enter a valid date/time.'] });
    expect((await admin.get(`${path}?days=99999999999`)).body.results).toEqual([]);
  });
});
