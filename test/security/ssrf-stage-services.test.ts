import { afterAll, expect, test } from 'vitest';
import { openBrowser } from '../support/flow-client.ts';
import { makeWalk } from '../support/make-walk.ts';
import { describeOnSqlite } from '../support/server.ts';
import { json, startService } from '../support/service.ts';
import { signedInBrowser } from '../support/signed-in-browser.ts';

const service = await startService();
afterAll(() => service.close());

describeOnSqlite('SSRF: services of stages cannot be in the server’s network', (server) => {
  test.each([
    ['this machine', () => service.url],
    ['this machine by name', () => service.url.replace('127.0.0.1', 'localhost')],
    ['this machine in disguise', () => service.url.replace('127.0.0.1', '[::ffff:127.0.0.1]')],
    ['the metadata of clouds', () => 'http://169.254.169.254'],
    ['a private network', () => 'http://10.0.0.1'],
  ])('%s is not called', async (_, url) => {
    service.answer = () => json({ success: true, stat: 'OK', response: {} });
    const keys = { public_key: 'x', private_key: 'x', js_url: 'https://captcha.example.com/api.js' };
    const captcha = await makeWalk(server(), [['captcha', { ...keys, api_url: `${url()}/verify` }]]);
    const anybody = openBrowser(server());
    await anybody.show(captcha.slug);
    expect((await anybody.answer(captcha.slug, { token: 't' })).body.response_errors.token).toHaveLength(1);

    const user = await server().user();
    const browser = await signedInBrowser(server(), user.pk);
    const sms = { provider: 'generic', from_number: 'x', auth: 'x', account_sid: `${url()}/messages` };
    const phone = await makeWalk(server(), [['authenticator/sms', sms]]);
    await browser.show(phone.slug);
    const told = await browser.answer(phone.slug, { phone_number: '+46701234567' });
    expect(told.body.response_errors.phone_number).toHaveLength(1);

    const push = { client_id: 'x', client_secret: 'x', api_hostname: url() };
    const pushed = await makeWalk(server(), [['authenticator/twofactor', push]]);
    expect((await browser.show(pushed.slug)).body.component).toBe('xak-stage-access-denied');
    expect(service.requests).toEqual([]);
  });
});
