import { expect, test } from 'vitest';
import { describeOnSqlite } from '../support/server.ts';

// A key length of 1 made every new token guessable.
describeOnSqlite('no setting makes secrets weak', (server) => {
  const set = (values: object) => server().admin.patch('/admin/settings/', values);

  test.each([
    [{ default_token_length: 1 }],
    [{ default_token_length: 31 }],
    [{ default_token_duration: 'seconds=1' }],
    [{ event_retention: 'minutes=1' }],
  ])('%j is refused, even to superusers', async (values) => {
    const before = (await server().admin.get('/admin/settings/')).body;
    expect((await set(values)).status).toBe(400);
    expect((await server().admin.get('/admin/settings/')).body).toEqual(before);
  });

  test('a key set by hand must be as long as a generated one', async () => {
    await server().admin.post('/core/tokens/', { identifier: 'short-key' });
    const short = await server().admin.post('/core/tokens/short-key/set_key/', { key: 'x'.repeat(31) });
    expect(short.body).toEqual({ key: ['Ensure this field has at least 32 characters.'] });
    expect((await server().admin.post('/core/tokens/short-key/set_key/', { key: 'x'.repeat(32) })).status).toBe(204);
  });

  test('settings that secrets depend on are for superusers, others for callers with permission', async () => {
    const editor = await server().user(['svc_rbac.edit_system_settings', 'svc_rbac.view_system_settings']);
    const edit = (values: object) => editor.api.patch('/admin/settings/', values);
    expect((await edit({ default_token_length: 40 })).status).toBe(403);
    expect((await edit({ default_token_duration: 'weeks=500' })).status).toBe(403);
    expect((await edit({ avatars: 'initials' })).status).toBe(200);
    const { body } = await editor.api.get('/admin/settings/');
    expect((await editor.api.put('/admin/settings/', body)).status).toBe(200);
    expect((await set({ default_token_length: 60 })).status).toBe(200);
  });
});
