import { expect, test } from 'vitest';
import { eventsDuring } from '../../support/events.ts';

import { describeOnBoth } from '../../support/server.ts';

const path = '/admin/settings/';
const defaults = {
  avatars: 'initials',
  default_user_change_name: true,
  default_user_change_email: false,
  default_user_change_username: false,
  event_retention: 'days=365',
  footer_links: [],
  gdpr_compliance: true,
  impersonation: true,
  impersonation_require_reason: false,
  default_token_duration: 'days=1',
  default_token_length: 60,
  trust_administrator_emails: true,
  shared_emails: false,
};

describeOnBoth('settings', (server) => {
  test('have their defaults at first', async () => {
    const { body, status } = await server().admin.get(path);
    expect([status, body]).toEqual([200, defaults]);
  });

  test('settings are changed one by one, and a PUT keeps omitted members', async () => {
    const { admin } = server();
    const links = [{ name: 'Help', href: 'https://example.com/help' }, { name: 'Just text' }];
    const patched = await admin.patch(path, { footer_links: links, unknown: 1 });
    expect(patched.body).toEqual({
      ...defaults,
      footer_links: [links[0], { name: 'Just text', href: null }],
    });
    const put = await admin.put(path, { impersonation: false });
    expect(put.body).toEqual({ ...patched.body, impersonation: false });
    expect((await admin.get(path)).body).toEqual(put.body);
    await admin.put(path, defaults);
    expect((await admin.get(path)).body).toEqual(defaults);
  });

  test('have an ETag, so that no user overwrites what another user has changed', async () => {
    const { admin } = server();
    const etag = (await admin.get(path)).headers.get('etag') ?? '';
    expect((await admin.send('GET', path, undefined, { 'if-none-match': etag })).status).toBe(304);
    expect((await admin.patch(path, { impersonation: false }, { 'if-match': etag })).status).toBe(200);
    for (const method of ['PATCH', 'PUT'])
      expect((await admin.send(method, path, { impersonation: true }, { 'if-match': etag })).status).toBe(412);
    const { body, headers } = await admin.get(path);
    expect(body.impersonation).toBe(false);
    expect((await admin.put(path, defaults, { 'if-match': headers.get('etag') ?? '' })).status).toBe(200);
  });

  test.each([
    [{ avatars: '' }, { avatars: ['This field may not be blank.'] }],
    [{ avatars: 'initials,ftp://x/%(username)s' }, { avatars: ['"ftp://x/%(username)s" is not a way to show users.'] }],
    [
      { event_retention: 'forever' },
      { event_retention: ["forever is not in the correct format of 'hours=3;minutes=1'."] },
    ],
    [{ event_retention: 'days=-1' }, { event_retention: ['Ensure this value is at least days=1.'] }],
    [{ default_token_duration: 'days=0' }, { default_token_duration: ['Ensure this value is at least minutes=5.'] }],
    [{ default_token_length: 0 }, { default_token_length: ['Ensure this value is greater than or equal to 32.'] }],
    [{ default_token_length: 1e9 }, { default_token_length: ['Ensure this value is less than or equal to 4096.'] }],
    [{ gdpr_compliance: 'x' }, { gdpr_compliance: ['Must be a valid boolean.'] }],
    [{ footer_links: 'x' }, { footer_links: ['Expected a list of items but got type "str".'] }],
    [
      { footer_links: [{ name: 'x', href: 'javascript:alert(1)' }] },
      { footer_links: { 0: ['href: Enter a valid URL.'] } },
    ],
    [{ impersonation: null }, { impersonation: ['This field may not be null.'] }],
  ])('%j is refused', async (body, complaints) => {
    const answer = await server().admin.patch(path, body);
    expect([answer.status, answer.body]).toEqual([400, complaints]);
    expect((await server().admin.get(path)).body).toEqual(defaults);
  });

  test('require permission to read and to write', async () => {
    const { user, nobody } = server();
    const plain = await user();
    const reader = await user(['svc_rbac.view_system_settings']);
    const writer = await user(['svc_rbac.edit_system_settings']);
    expect((await nobody.get(path)).status).toBe(403);
    expect((await plain.api.get(path)).status).toBe(403);
    expect((await plain.api.patch(path, {})).status).toBe(403);
    expect((await reader.api.get(path)).status).toBe(200);
    expect((await reader.api.put(path, {})).status).toBe(403);
    expect((await writer.api.patch(path, {})).status).toBe(200);
  });

  test('record one event with the changes', async () => {
    const { admin } = server();
    const events = await eventsDuring(server(), () =>
      admin.patch(path, { event_retention: 'days=30', impersonation: true }),
    );
    expect(events).toMatchObject([
      {
        action: 'model_updated',
        context: { diff: { event_retention: { previous_value: 'days=365', new_value: 'days=30' } } },
      },
    ]);
    await admin.patch(path, { event_retention: 'days=365' });
  });

  test('a dry run shows settings without storing them', async () => {
    const { admin } = server();
    const tried = await admin.patch(`${path}?dry_run=true`, { avatars: 'none' });
    expect(tried.body.avatars).toBe('none');
    expect((await admin.get(path)).body).toEqual(defaults);
  });

  test('a new avatar setting takes effect at once, for nested users too', async () => {
    const { admin, user } = server();
    const person = await user([], { attributes: { picture: 'https://example.com/me.png' } });
    const avatar = async () => (await admin.get(`/core/users/${person.pk}/`)).body.avatar;
    expect(await avatar()).toMatch(/^data:image/);
    await admin.patch(path, { avatars: 'attributes.picture,initials' });
    expect(await avatar()).toBe('https://example.com/me.png');
    const { body: token } = await admin.get(`/core/tokens/token-${person.username}/`);
    expect(token.user_obj.avatar).toBe('https://example.com/me.png');
    await admin.patch(path, { avatars: 'initials' });
    expect(await avatar()).toMatch(/^data:image/);
  });
});
