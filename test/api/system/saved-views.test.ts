import { expect, test } from 'vitest';
import { unique } from '../../support/make-walk.ts';
import { describeOnBoth, type TestServer } from '../../support/server.ts';

const path = '/admin/views/';
const users = '/core/users/';

describeOnBoth('saved views', (server) => {
  type Api = TestServer['admin'];
  const viewsOf = async (api: Api) => (await api.get('/admin/interface/')).body.views;

  test('are stored with the account, changed and deleted', async () => {
    const { api } = await server().user();
    expect(await viewsOf(api)).toEqual([]);
    const view = { list: users, name: 'Dormant', query: 'is_active=false&ordering=-last_login', columns: ['username'] };
    const made = await api.post(path, view);
    expect([made.status, made.body]).toEqual([201, { pk: expect.any(String), ...view }]);
    const { pk } = made.body;
    expect(await viewsOf(api)).toEqual([{ pk, ...view }]);
    const changed = { list: users, name: 'Asleep', query: '', columns: null };
    const update = await api.put(`${path}${pk}/`, changed);
    expect([update.status, update.body]).toEqual([200, { pk, ...changed }]);
    expect(await viewsOf(api)).toEqual([{ pk, ...changed }]);
    expect((await api.delete(`${path}${pk}/`)).status).toBe(204);
    expect(await viewsOf(api)).toEqual([]);
    expect((await api.delete(`${path}${pk}/`)).status).toBe(404);
    expect((await api.put(`${path}nothing/`, changed)).status).toBe(404);
  });

  test('have a name each in their list', async () => {
    const { api } = await server().user();
    const name = unique('view');
    const first = await api.post(path, { list: users, name });
    expect(first.body).toMatchObject({ query: '', columns: null });
    const again = await api.post(path, { list: users, name });
    expect([again.status, Object.keys(again.body)]).toEqual([400, ['name']]);
    const { body } = await api.post(path, { list: '/core/groups/', name });
    expect((await api.put(`${path}${body.pk}/`, { list: users, name })).status).toBe(400);
    expect((await api.post(path, { list: users, name: '' })).status).toBe(400);
  });

  test('are of their owner alone', async () => {
    const [owner, other] = [await server().user(), await server().user()];
    const { body } = await owner.api.post(path, { list: users, name: 'Mine' });
    const change = { list: users, name: 'Yours' };
    expect((await other.api.put(`${path}${body.pk}/`, change)).status).toBe(404);
    expect((await other.api.delete(`${path}${body.pk}/`)).status).toBe(404);
    expect((await server().admin.put(`${path}${body.pk}/`, change)).status).toBe(404);
    expect(await viewsOf(other.api)).toEqual([]);
    expect(await viewsOf(owner.api)).toMatchObject([{ name: 'Mine' }]);
    expect((await server().admin.delete(`/core/users/${owner.pk}/`)).status).toBe(204);
  });

  test('are bounded for an account', async () => {
    const { api } = await server().user();
    const statuses = new Set<number>();
    for (let at = 0; at < 200; at += 1) statuses.add((await api.post(path, { list: users, name: `v${at}` })).status);
    expect([...statuses]).toEqual([201]);
    const { status, body } = await api.post(path, { list: users, name: 'one more' });
    expect([status, body.non_field_errors]).toEqual([400, ['You have 200 saved views. Delete one first.']]);
  });
});
