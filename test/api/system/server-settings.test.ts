import { sql } from 'kysely';
import { afterAll, describe, expect, test } from 'vitest';
import { openWorld } from '../../../src/app/world.ts';
import { createLog } from '../../../src/platform/log.ts';
import { eventsDuring } from '../../support/events.ts';
import { startMailReceiver } from '../../support/receivers.ts';
import { describeOnBoth, startServer, type TestServer } from '../../support/server.ts';
import { signIn } from '../../support/session.ts';

const path = '/admin/server_settings/';
const mail = await startMailReceiver();
afterAll(() => mail.close());
const port = Number(new URL(mail.url).port);
const toReceiver = { smtp_host: '127.0.0.1', smtp_port: port, smtp_security: 'none', smtp_from: 'id@example.org' };

const withAddress = async ({ admin }: TestServer) => {
  const { pk } = (await admin.get('/core/users/me/')).body.user;
  await admin.patch(`/core/users/${pk}/`, { email: 'admin@example.org' });
};

describeOnBoth(
  'the mail server that a superuser sets',
  (server) => {
    test('sends mails at once, and its password is sealed and never shown', async () => {
      const { admin, world } = server();
      await withAddress(server());
      expect((await admin.post('/admin/mail/test/')).body.non_field_errors[0]).toContain('no mail server is set');
      const password = 'the password of the mail server';
      const given = { ...toReceiver, smtp_username: 'gatehouse', smtp_password: password };
      const events = await eventsDuring(server(), async () => {
        const { status, body, text } = await admin.patch(path, given);
        expect([status, body.smtp_host, body.has_smtp_password]).toEqual([200, '127.0.0.1', true]);
        expect(text).not.toContain(password);
      });
      expect(events).toMatchObject([
        { action: 'model_updated', context: { diff: { smtp_port: { new_value: port } } } },
      ]);
      expect(events[0]?.text).not.toContain(password);
      const { rows } = await sql<{ smtp_password: string }>`select smtp_password from server_settings`.execute(
        world.db.read,
      );
      expect(rows[0]?.smtp_password).toMatch(/^v1:/);
      const { text, body } = await admin.get(path);
      expect(text).not.toContain(password);
      expect(body.locked).toEqual([]);
      // The receiver takes no password.
      await admin.patch(path, { smtp_username: '' });
      expect((await admin.get(path)).body.has_smtp_password).toBe(false);
      expect((await admin.post('/admin/mail/test/')).body).toEqual({ to: 'admin@example.org' });
      expect(mail.mails.at(-1)).toMatchObject({
        to: ['admin@example.org'],
        text: expect.stringContaining('id@example.org'),
      });
      expect((await admin.get('/admin/overview/')).body.health.mail).toBe(true);
    });

    test('gets a stored password only for the host and the username that it was entered for', async () => {
      const { admin } = server();
      await admin.patch(path, { ...toReceiver, smtp_username: 'gatehouse', smtp_password: 'a secret' });
      for (const change of [{ smtp_host: 'evil.example' }, { smtp_username: 'other' }]) {
        const { status, body } = await admin.patch(path, change);
        expect([status, body]).toEqual([400, { smtp_password: [expect.stringContaining('Enter the password')] }]);
      }
      expect((await admin.patch(path, { smtp_port: 2525, smtp_password: '' })).body.has_smtp_password).toBe(true);
      expect((await admin.patch(path, { smtp_host: '' })).status).toBe(400);
      expect((await admin.patch(path, { smtp_host: '', smtp_username: '' })).body.has_smtp_password).toBe(false);
    });

    test.each([
      [{ smtp_host: 'mail.example.org', smtp_from: '' }, 'smtp_from'],
      [{ smtp_host: 'smtp://mail.example.org' }, 'smtp_host'],
      [{ smtp_from: 'Gatehouse' }, 'smtp_from'],
      [{ smtp_port: 70_000 }, 'smtp_port'],
      [{ smtp_security: 'ssl' }, 'smtp_security'],
      [{ public_url: 'https://id.example.org/path' }, 'public_url'],
      [{ public_url: 'javascript:alert(1)' }, 'public_url'],
      [{ public_url: 'https://admin:secret@id.example.org' }, 'public_url'],
    ])('refuses %j', async (given, member) => {
      const { status, body } = await server().admin.patch(path, given);
      expect([status, Object.keys(body)]).toEqual([400, [member]]);
    });

    test('is for superusers who have just authenticated; readers of settings see it without the password', async () => {
      const { admin, nobody, user } = server();
      await admin.patch(path, { ...toReceiver, smtp_username: 'gatehouse', smtp_password: 'a secret' });
      const delegate = await user(['svc_rbac.view_system_settings', 'svc_rbac.edit_system_settings']);
      const read = await delegate.api.get(path);
      expect([read.status, read.text.includes('a secret')]).toEqual([200, false]);
      const { pk } = (await admin.get('/core/users/me/')).body.user;
      const old = await signIn(server(), pk, { isProven: false });
      const answers = [
        await nobody.get(path),
        await (await user()).api.get(path),
        await delegate.api.patch(path, { smtp_host: 'evil.example' }),
        await old.browser.patch(path, { smtp_host: 'evil.example' }),
      ];
      expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
      expect((await admin.get(path)).body.smtp_host).toBe('127.0.0.1');
      const stale = await admin.patch(path, { smtp_port: 25 }, { 'if-match': '"another"' });
      expect(stale.status).toBe(412);
      await admin.patch(path, { smtp_host: '', smtp_username: '', smtp_from: '' });
    });

    test('a public address is used after a restart', async () => {
      const { admin, world } = server();
      const before = (await admin.get(path)).body.public_url_in_use;
      const { body } = await admin.patch(path, { public_url: 'https://id.example.org/' });
      expect([body.public_url, body.public_url_in_use]).toEqual(['https://id.example.org', before]);
      const later = await openWorld(world.config, createLog({ level: 'fatal' }), { beside: true });
      expect(later.config.publicUrl).toBe('https://id.example.org');
      expect(later.config.sources.GATEHOUSE_PUBLIC_URL).toBe('administration');
      await later.close();
    });
  },
  { env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' } },
);

describe('the environment', () => {
  test('wins over what administrators set, which is locked then', async () => {
    const env = {
      GATEHOUSE_SMTP_URL: mail.url,
      GATEHOUSE_SMTP_FROM: 'env@example.org',
      GATEHOUSE_PUBLIC_URL: 'http://127.0.0.1:9',
    };
    const server = await startServer('sqlite', { env });
    const { body } = await server.admin.get(path);
    expect(body).toMatchObject({ locked: ['public_url', 'mail'], smtp_port: port, smtp_from: 'env@example.org' });
    for (const given of [{ smtp_host: 'evil.example' }, { public_url: 'https://evil.example' }]) {
      const answer = await server.admin.patch(path, given);
      expect([answer.status, Object.keys(answer.body)]).toEqual([400, Object.keys(given)]);
    }
    await withAddress(server);
    expect((await server.admin.post('/admin/mail/test/')).status).toBe(200);
    expect(mail.mails.at(-1)?.text).toContain('env@example.org');
    await server.close();
  });

  test('does not let a mail server of the administration be in the server’s own network (SSRF)', async () => {
    const server = await startServer('sqlite');
    await withAddress(server);
    const sent = mail.mails.length;
    for (const smtp_host of ['127.0.0.1', 'localhost', '169.254.169.254', '::ffff:127.0.0.1']) {
      expect((await server.admin.patch(path, { ...toReceiver, smtp_host })).status).toBe(200);
      const { status, body } = await server.admin.post('/admin/mail/test/');
      expect([status, body.non_field_errors[0]]).toEqual([400, expect.stringContaining('may not reach')]);
    }
    expect(mail.mails.length).toBe(sent);
    await server.close();
  });
});
