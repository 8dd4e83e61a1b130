import { afterAll, expect, test } from 'vitest';
import { startScimTarget } from '../support/scim-target.ts';
import { describeOnSqlite } from '../support/server.ts';
import { makeSyncProvider } from '../support/sync.ts';

const target = await startScimTarget();
afterAll(() => target.close());

describeOnSqlite('SSRF: outgoing sync cannot reach the server’s network', (server) => {
  const own = () => String(target.settings.url);
  test.each([
    ['this machine', own],
    ['this machine by name', () => own().replace('127.0.0.1', 'localhost')],
    ['the metadata of clouds', () => 'http://169.254.169.254/v2'],
  ])('%s is not called', async (_name, url) => {
    const { admin } = server();
    const provider = await makeSyncProvider(admin, 'scim', { url: url(), token: 'x' });
    const path = `/providers/scim/${provider.pk}/`;
    const object = { sync_object_model: 'svc.core.models.User', sync_object_id: '1' };
    const { body } = await admin.post(`${path}sync/object/?dry_run=true`, object);
    expect(body.messages.at(-1)).toMatchObject({ log_level: 'error', event: expect.stringContaining('may not reach') });
    await admin.delete(path);
    expect(target.requests).toEqual([]);
  });
});
