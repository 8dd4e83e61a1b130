import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { run } from '../../cli/in-process.ts';
import { eventsDuring } from '../../support/events.ts';
import { unique } from '../../support/make-walk.ts';
import { configFor, describeOnBoth, newFolder, type TestServer } from '../../support/server.ts';
import { signIn } from '../../support/session.ts';

const path = '/api/v3/admin/backup/';
const again = 'recent_authentication_required';

async function superuser(server: TestServer, isProven = true) {
  const { pk } = (await server.admin.get('/core/users/me/')).body.user;
  return signIn(server, pk, { isProven });
}

/** The bytes as a browser receives them. */
async function download(server: TestServer, { cookie, csrf }: { cookie: string; csrf: string }, query = '') {
  const headers = { cookie, 'x-gatehouse-csrf': csrf, accept: '*/*' };
  const response = await fetch(`${server.url}${path}${query}`, { method: 'POST', headers });
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}

describeOnBoth('a backup that a superuser downloads', (server) => {
  test('restores into an empty database', async () => {
    const username = unique('kept');
    await server().admin.post('/core/users/', { username, name: 'Kept' });
    const visitor = await superuser(server());
    const before = (await server().admin.get('/admin/overview/')).body.health.last_backup;
    const events = await eventsDuring(server(), async () => {
      const { status, headers, bytes } = await download(server(), visitor);
      expect([status, headers.get('content-type')]).toEqual([200, 'application/gzip']);
      expect(headers.get('content-disposition')).toMatch(/^attachment; filename="gatehouse-\d{4}-\d\d-\d\d\.backup"$/);
      const folder = newFolder();
      const file = join(folder, 'whole.backup');
      await writeFile(file, bytes);
      const data = join(folder, 'data');
      const env = { GATEHOUSE_DATA_DIR: data, GATEHOUSE_SECRET_KEY: configFor(folder).secretKey ?? '' };
      expect(await run(['restore', '--from', file], env)).toMatchObject({ code: 0 });
      expect(gunzipSync(bytes).toString()).toContain(username);
    });
    expect(events).toMatchObject([
      { action: 'secret_view', username: 'admin', context: { backup: { has_instance_key: false } } },
    ]);
    const { body } = await server().admin.get('/events/events/?action=secret_view');
    expect(body.results[0].sentence).toBe('admin downloaded a backup.');
    await expect
      .poll(async () => (await server().admin.get('/admin/overview/')).body.health.last_backup)
      .not.toBe(before);
  });

  test('is sent to one at a time, and again after a download that broke off', async () => {
    const visitor = await superuser(server());
    const both = await Promise.all([download(server(), visitor), download(server(), visitor)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 503]);
    const headers = { cookie: visitor.cookie, 'x-gatehouse-csrf': visitor.csrf };
    const broken = new AbortController();
    await fetch(`${server().url}${path}`, { method: 'POST', headers, signal: broken.signal });
    broken.abort();
    await expect.poll(async () => (await download(server(), visitor)).status).toBe(200);
  });

  test('takes a superuser in person who has just authenticated', async () => {
    const delegate = await server().user(['svc_rbac.view_system_info', 'svc_rbac.edit_system_settings']);
    const old = await superuser(server(), false);
    const { otherSite } = await superuser(server());
    const answers = [
      await server().nobody.post(path),
      await server().admin.post(path),
      await (await signIn(server(), delegate.pk)).browser.post(path),
      await old.browser.post(path),
      await otherSite.post(path),
      await old.browser.get(path),
    ];
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
      [403, 'not_authenticated'],
      [403, 'permission_denied'],
      [403, 'permission_denied'],
      [403, again],
      [403, 'csrf_failed'],
      [405, 'method_not_allowed'],
    ]);
    const events = await eventsDuring(server(), async () => {
      const tried = await download(server(), await superuser(server()), '?dry_run=true');
      expect([tried.status, tried.bytes.length]).toEqual([200, 0]);
    });
    expect(events).toEqual([]);
  });
});
