import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventsDuring } from '../support/events.ts';

import { openBrowser } from '../support/flow-client.ts';
import { bindExpression, makeWalk } from '../support/make-walk.ts';
import { describeOnSqlite } from '../support/server.ts';
import { json, loopbackAllowed, type Service, type ServiceAnswer, startService } from '../support/service.ts';

const done = { component: 'xak-flow-redirect', to: '/if/user/' };
const privateKey = 'the-private-key-of-the-site';
let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const settings = (values: object = {}) => ({
  public_key: 'the-site',
  private_key: privateKey,
  js_url: 'https://captcha.example.com/api.js',
  api_url: `${service.url}/verify`,
  ...values,
});

describeOnSqlite(
  'the captcha stage',
  (server) => {
    const begin = async (values: object = {}) => {
      const walk = await makeWalk(server(), [['captcha', settings(values)]]);
      const browser = openBrowser(server());
      const shown = await browser.show(walk.slug);
      return { walk, browser, shown, answer: (body: Record<string, unknown>) => browser.answer(walk.slug, body) };
    };

    test('sends key, token and client address to the service, and lets people pass whom it accepts', async () => {
      const { shown, answer } = await begin();
      expect(shown.body).toMatchObject({
        component: 'xak-stage-captcha',
        site_key: 'the-site',
        js_url: 'https://captcha.example.com/api.js',
        interactive: false,
        pending_user: '',
      });
      expect(shown.text).not.toContain(privateKey);
      service.requests.length = 0;
      service.answer = () => json({ success: true });
      expect((await answer({ token: 'a token' })).body).toEqual(done);
      expect(service.requests).toHaveLength(1);
      expect(Object.fromEntries(new URLSearchParams(service.requests[0]?.body))).toEqual({
        secret: privateKey,
        response: 'a token',
        remoteip: '127.0.0.1',
      });
    });

    test('refuses what the service refuses, and does not call it for answers without a token', async () => {
      const { answer, shown } = await begin();
      service.answer = () => json({ success: false, 'error-codes': ['timeout-or-duplicate'] });
      const refused = await answer({ token: 'used before' });
      expect(refused.body.response_errors.token[0].string).toBe('The captcha was not solved. Please try again.');
      service.requests.length = 0;
      for (const body of [{ token: '' }, { token: null }, { token: 1 }, { token: {} }, { token: 'x'.repeat(20_000) }]) {
        const { body: told } = await answer(body);
        expect(told.response_errors.token, JSON.stringify(body).slice(0, 30)).toHaveLength(1);
      }
      for (const body of [{}, { component: 'xak-stage-dummy' }, { code: 'x' }]) {
        expect((await answer(body)).body).toEqual(shown.body);
      }
      expect(service.requests).toHaveLength(0);
    });

    test('decides by the score where the service gives one, or leaves it to policies', async () => {
      for (const [score, isLetThrough] of [
        [0.5, true],
        [0.9, true],
        [0.95, false],
        [0.49, false],
        ['0.7', false],
      ] as const) {
        const swapped = { score_min_threshold: 0.9, score_max_threshold: 0.5 };
        for (const thresholds of [{ score_max_threshold: 0.9 }, swapped]) {
          const { answer } = await begin(thresholds);
          service.answer = () => json({ success: true, score });
          const { body } = await answer({ token: 't' });
          expect([score, body.component === 'xak-flow-redirect']).toEqual([score, isLetThrough]);
        }
      }
      const walk = await makeWalk(server(), [
        ['captcha', settings({ error_on_invalid_score: false })],
        ['deny', { deny_message: 'A program, it seems.' }],
      ]);
      const [, second] = walk.bindings;
      await bindExpression(server(), second?.target as string, 'return context.captcha.response.score < 0.3');
      service.answer = () => json({ success: true, score: 0.1 });
      const browser = openBrowser(server());
      await browser.show(walk.slug);
      expect((await browser.answer(walk.slug, { token: 't' })).body.error_message).toBe('A program, it seems.');
    });

    test('takes -1 for no highest score', async () => {
      const { answer } = await begin({ score_max_threshold: -1 });
      service.answer = () => json({ success: true, score: 0.4 });
      expect((await answer({ token: 't' })).body.component).toBe('xak-stage-captcha');
      service.answer = () => json({ success: true, score: 12 });
      expect((await answer({ token: 't' })).body).toEqual(done);
    });

    test('never shows the private key', async () => {
      const made = await server().admin.post('/stages/captcha/', { name: 'with a key', ...settings() });
      expect(made.status).toBe(201);
      expect(made.body).not.toHaveProperty('private_key');
      const thresholds = { score_min_threshold: 0.9, score_max_threshold: 0.1 };
      const swapped = await server().admin.patch(`/stages/captcha/${made.body.pk}/`, thresholds);
      expect([swapped.status, swapped.body]).toMatchObject([200, thresholds]);
      const script = await server().admin.patch(`/stages/captcha/${made.body.pk}/`, { js_url: 'javascript:alert(1)' });
      expect(script.body).toEqual({ js_url: ['Enter a valid URL.'] });
    });
  },
  { env: loopbackAllowed },
);

describeOnSqlite(
  'the captcha stage with a failing service',
  (server) => {
    const troubles: readonly (readonly [string, () => ServiceAnswer])[] = [
      ['fails', () => json({ success: true }, 500)],
      ['is malformed', () => ({ body: '<html>success: true</html>' })],
      ['answers with a list', () => json([{ success: true }])],
      ['says nothing of success', () => json({ score: 1 })],
      ['is not sure', () => json({ success: 'true' })],
      ['does not know our key', () => json({ success: false, 'error-codes': ['invalid-input-secret'] })],
      ['sends elsewhere', () => ({ status: 302, body: '', headers: { location: 'http://127.0.0.1:1/' } })],
      ['is endless', () => ({ body: ' '.repeat(100_000) })],
      ['is cut off', () => 'cut'],
      ['is silent', () => 'silence'],
    ];

    test.each(troubles)('lets no user pass when the service %s, and records an event', async (_, answer) => {
      const walk = await makeWalk(server(), [['captcha', settings()]]);
      const browser = openBrowser(server());
      await browser.show(walk.slug);
      service.answer = answer;
      const events = await eventsDuring(server(), async () => {
        const { status, body } = await browser.answer(walk.slug, { token: 't' });
        expect(status).toBe(200);
        expect(body.response_errors.token[0].string).toBe('The captcha cannot be checked at the moment.');
      });
      expect(events.map(({ action }) => action)).toEqual(['configuration_error']);
      expect(JSON.stringify(events)).not.toContain(privateKey);
      service.answer = () => json({ success: true });
      expect((await browser.answer(walk.slug, { token: 't' })).body).toEqual(done);
    });

    test('records few events of a fault that strangers meet again and again', async () => {
      const walk = await makeWalk(server(), [['captcha', settings()]]);
      const browser = openBrowser(server());
      await browser.show(walk.slug);
      service.answer = () => json({ success: 'true' });
      const events = await eventsDuring(server(), async () => {
        for (let time = 0; time < 20; time += 1) await browser.answer(walk.slug, { token: 't' });
      });
      expect(events.map(({ action }) => action)).toEqual(Array(5).fill('configuration_error'));
    });

    test('lets no user pass when the service is unreachable or its address forbidden', async () => {
      for (const api_url of ['http://127.0.0.1:1/', 'http://169.254.169.254/latest/']) {
        const walk = await makeWalk(server(), [['captcha', settings({ api_url })]]);
        const browser = openBrowser(server());
        await browser.show(walk.slug);
        const { body } = await browser.answer(walk.slug, { token: 't' });
        expect(body.response_errors.token).toHaveLength(1);
      }
    });
  },
  { env: loopbackAllowed },
);
