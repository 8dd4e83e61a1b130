import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { makeWalk } from '../support/make-walk.ts';
import { describeOnBoth } from '../support/server.ts';
import { json, loopbackAllowed, startService } from '../support/service.ts';
import { signedInBrowser } from '../support/signed-in-browser.ts';

const service = await startService();
service.answer = () => json({});
afterAll(() => service.close());

const maxTries = 5;
const most = { forNumber: 5, forNetwork: 100 };

describeOnBoth(
  'brute force: guessing SMS codes and flooding phones',
  (server) => {
    const setUp = async () => {
      const sms = { provider: 'generic', from_number: 'x', auth: 'x', account_sid: `${service.url}/messages` };
      const { slug } = await makeWalk(server(), [['authenticator/sms', sms]]);
      const { pk } = await server().user();
      const browser = await signedInBrowser(server(), pk);
      await browser.show(slug);
      return (body: Record<string, unknown>) => browser.answer(slug, body);
    };

    test('of two hundred guesses at once a few are checked, and then even the right one fails', async () => {
      const answer = await setUp();
      await answer({ phone_number: '+46701111111' });
      const code = Number(/: (\d{6})$/.exec(JSON.parse(service.requests.at(-1)?.body ?? '').Body)?.[1]);
      const guesses = Array.from({ length: 200 }, (_, i) => answer({ code: (code + 1 + i) % 1_000_000 }));
      const answers = await Promise.all(guesses);
      expect(answers.every(({ status }) => status === 200)).toBe(true);
      const { rows } = await sql<{ tries: number }>`select tries from sms_codes`.execute(server().world.db.read);
      expect(rows).toEqual([{ tries: maxTries }]);
      expect((await answer({ code })).body.response_errors.code[0].string).toBe('Code does not match');
    });

    test('of fifty requests for a message at once a few are sent', async () => {
      const answers = await Promise.all(Array.from({ length: 5 }, setUp));
      service.requests.length = 0;
      const wishes = Array.from({ length: 50 }, (_, i) => answers[i % 5]?.({ phone_number: '+46702222222' }));
      await Promise.all(wishes);
      expect(service.requests).toHaveLength(most.forNumber);
    });

    test('one network has only so many messages sent, to however many numbers by however many people', async () => {
      service.requests.length = 0;
      for (let people = 0; people < 14; people += 1) {
        const answer = await setUp();
        for (let i = 0; i < 8; i += 1) await answer({ phone_number: `+467055${100 + people}${100 + i}` });
      }
      expect(service.requests.length).toBeLessThanOrEqual(most.forNetwork);
      expect(service.requests.length).toBeGreaterThan(most.forNetwork / 2);
    });

    test('SMS codes are stored as hashes only', async () => {
      const answer = await setUp();
      await answer({ phone_number: '+46703333333' });
      const code = /: (\d{6})$/.exec(JSON.parse(service.requests.at(-1)?.body ?? '').Body)?.[1] as string;
      const { rows } = await sql<Record<string, unknown>>`select subject, code_hash from sms_codes`.execute(
        server().world.db.read,
      );
      expect(rows.length).toBeGreaterThan(0);
      for (const { code_hash } of rows) expect(code_hash).toMatch(/^[0-9a-f]{64}$/);
      expect(rows.some(({ code_hash }) => code_hash === code)).toBe(false);
    });
  },
  { env: loopbackAllowed },
);
