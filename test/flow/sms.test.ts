import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventsDuring } from '../support/events.ts';

import { atFactor, makeFactorFlow } from '../support/factor-walk.ts';
import { made, makeWalk, unique } from '../support/make-walk.ts';
import { personWithPassword, stillClock, userIn } from '../support/second-factor.ts';
import { describeOnBoth, describeOnSqlite, type TestUser } from '../support/server.ts';
import { json, loopbackAllowed, type Service, type ServiceAnswer, startService } from '../support/service.ts';
import { signedInBrowser } from '../support/signed-in-browser.ts';

const component = 'xak-stage-authenticator-sms';
const done = { component: 'xak-flow-redirect', to: '/if/user/' };
const token = 'the-token-of-the-account';
let service: Service;
let lastNumber = 46_700_000_000;
const newNumber = () => `+${++lastNumber}`;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const clock = stillClock();

const settings = (values: object = {}) => ({
  provider: 'generic',
  from_number: '+15550100',
  account_sid: `${service.url}/messages`,
  auth: token,
  auth_type: 'bearer',
  ...values,
});
/** The code in the message that was sent last. */
const codeSent = () => /: (\d{6})$/.exec(JSON.parse(service.requests.at(-1)?.body ?? '{}').Body)?.[1] ?? '';
const otherThan = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

describeOnBoth(
  'SMS devices',
  (server, kind) => {
    const person = () => personWithPassword(server());
    const setUpFlow = (values: object = {}) => makeWalk(server(), [['authenticator/sms', settings(values)]]);
    const begin = async (flow: string, user: TestUser) => {
      const browser = await signedInBrowser(server(), user.pk);
      const shown = await browser.show(flow);
      return { shown, answer: (body: Record<string, unknown>) => browser.answer(flow, body) };
    };
    const enrolled = async (values: object = {}) => {
      const user = await person();
      const number = newNumber();
      const { slug, stages } = await setUpFlow(values);
      const { answer } = await begin(slug, user);
      await answer({ phone_number: number });
      expect((await answer({ code: codeSent() })).body).toEqual(done);
      return { user, number, stage: stages[0] as string };
    };
    const signInFlow = () => makeFactorFlow(server(), 'sms');

    test('ask for a number, send a code to it, and are stored once the code comes back', async () => {
      service.answer = () => json({});
      const user = await person();
      const { slug } = await setUpFlow();
      const { shown, answer } = await begin(slug, user);
      expect(shown.body).toMatchObject({ component, phone_number_required: true, pending_user: user.username });
      service.requests.length = 0;
      const number = newNumber();
      const asked = await answer({ phone_number: `${number.slice(0, 3)} (${number.slice(3, 6)}) ${number.slice(6)}` });
      expect(asked.body).toMatchObject({ component, phone_number_required: false });
      expect(asked.body.response_errors).toBeUndefined();
      expect(service.requests).toHaveLength(1);
      expect(service.requests[0]?.headers.authorization).toBe(`Bearer ${token}`);
      const message = `Use this code to authenticate in Gatehouse: ${codeSent()}`;
      expect(JSON.parse(service.requests[0]?.body ?? '')).toEqual({
        From: '+15550100',
        To: number,
        Body: message,
        Message: message,
      });
      expect(asked.text).not.toContain(codeSent());
      const wrong = await answer({ code: otherThan(codeSent()) });
      expect(wrong.body.response_errors.code[0].string).toBe('Code does not match');
      const events = await eventsDuring(server(), async () => {
        expect((await answer({ code: Number(codeSent()) })).body).toEqual(done);
      });
      expect(events.map(({ action }) => action)).toEqual(['model_created']);
      const [device] = (await user.api.get('/authenticators/sms/')).body.results;
      expect(device).toMatchObject({ phone_number: number, name: `+46 … ${number.slice(-3)}` });
    });

    test('accept a code once, within five tries and ten minutes', async () => {
      service.answer = () => json({});
      const user = await person();
      const { slug } = await setUpFlow();
      const { answer } = await begin(slug, user);
      const number = newNumber();
      await answer({ phone_number: number });
      const first = codeSent();
      for (let i = 0; i < 5; i++) await answer({ code: otherThan(first) });
      expect((await answer({ code: first })).body.response_errors.code[0].string).toBe('Code does not match');
      await answer({ phone_number: number });
      const second = codeSent();
      clock.forward(10 * 60_000 + 1);
      expect((await answer({ code: second })).body.response_errors.code).toHaveLength(1);
      await answer({ phone_number: number });
      const third = codeSent();
      if (third !== second) expect((await answer({ code: second })).body.response_errors.code).toHaveLength(1);
      const both = await Promise.all([answer({ code: third }), answer({ code: third })]);
      expect(both.some(({ body }) => body.component === done.component)).toBe(true);
      expect((await user.api.get('/authenticators/sms/')).body.results).toHaveLength(1);
    });

    test('get a limited number of messages per hour, by number and by person', async () => {
      service.answer = () => json({});
      const { slug } = await setUpFlow();
      const number = newNumber();
      const told = 'Too many messages were sent. Please try again later.';
      const persons = await Promise.all([person(), person()]);
      const [one, two] = await Promise.all(persons.map((user) => begin(slug, user)));
      service.requests.length = 0;
      for (let i = 0; i < 4; i++) {
        await one?.answer({ phone_number: number });
        await two?.answer({ phone_number: number });
      }
      expect(service.requests).toHaveLength(5);
      expect((await one?.answer({ phone_number: number }))?.body.response_errors.phone_number[0].string).toBe(told);
      for (let i = 0; i < 12; i++) await one?.answer({ phone_number: newNumber() });
      expect(service.requests).toHaveLength(5 + 7);
      clock.forward(3_600_001);
      const later = await begin(slug, persons[0] as TestUser);
      expect((await later.answer({ phone_number: number })).body.response_errors).toBeUndefined();
      expect(service.requests).toHaveLength(5 + 7 + 1);
    });

    test('get a code at sign-in though others have typed their number as often as one may', async () => {
      service.answer = () => json({});
      const { user, number } = await enrolled();
      const { slug } = await setUpFlow();
      for (const other of [await person(), await person()]) {
        const { answer } = await begin(slug, other);
        for (let i = 0; i < 5; i++) await answer({ phone_number: number });
      }
      const flow = await signInFlow();
      const { browser, offered } = await atFactor(server(), flow, user);
      service.requests.length = 0;
      await browser.answer(flow, { selected_challenge: offered });
      expect(service.requests).toHaveLength(1);
      await browser.answer(flow, { code: codeSent() });
      expect(await userIn(browser)).toBe(user.pk);
    });

    // What follows does not depend on the database.
    if (kind === 'postgres') return;

    test('get no message on an invalid, empty or foreign answer', async () => {
      const user = await person();
      const { slug } = await setUpFlow();
      const { answer } = await begin(slug, user);
      service.requests.length = 0;
      for (const phone_number of ['112', '0701234567', '+0701234567', '+4670123456789012', 'abc', '', {}, true]) {
        const { body } = await answer({ phone_number });
        expect(body.response_errors.phone_number, String(phone_number)).toHaveLength(1);
      }
      expect((await answer({ code: 123_456 })).body.response_errors.phone_number).toHaveLength(1);
      expect((await answer({ component })).body.response_errors.phone_number).toHaveLength(1);
      for (const body of [{}, { component: 'xak-stage-dummy', phone_number: newNumber() }]) {
        expect((await answer(body)).body.response_errors).toBeUndefined();
      }
      expect(service.requests).toHaveLength(0);
    });

    test('do not accept a code of another number or person', async () => {
      service.answer = () => json({});
      const { slug } = await setUpFlow();
      const mine = await begin(slug, await person());
      const theirs = await begin(slug, await person());
      const number = newNumber();
      await mine.answer({ phone_number: number });
      const code = codeSent();
      await theirs.answer({ phone_number: number });
      if (codeSent() !== code)
        expect((await theirs.answer({ code })).body.response_errors.code[0].string).toBe('Code does not match');
      await mine.answer({ phone_number: newNumber() });
      if (codeSent() !== code)
        expect((await mine.answer({ code })).body.response_errors.code[0].string).toBe('Code does not match');
    });

    test('belong to one person, and do not reveal to others whose number it is', async () => {
      service.answer = () => json({});
      const { number, stage } = await enrolled();
      const slug = unique('again');
      const flow = await made(server(), '/flows/instances/', {
        name: slug,
        slug,
        title: slug,
        designation: 'stage_configuration',
      });
      await made(server(), '/flows/bindings/', { target: flow.pk, stage, order: 0 });
      const { answer } = await begin(slug, await person());
      expect((await answer({ phone_number: number })).body.response_errors).toBeUndefined();
      const { body } = await answer({ code: codeSent() });
      expect(body.response_errors.phone_number[0].string).toBe('This number is in use already.');
      expect(body.phone_number_required).toBe(true);
    });

    test('store no number where the stage only verifies numbers', async () => {
      service.answer = () => json({});
      const { user, number } = await enrolled({ verify_only: true });
      const { results } = (await user.api.get('/authenticators/sms/')).body;
      expect(results[0].phone_number).toMatch(/^hash:[0-9a-f]{64}$/);
      const { rows } = await sql`select * from device_sms where pk = ${results[0].pk}`.execute(server().world.db.read);
      expect(JSON.stringify(rows)).not.toContain(number.slice(1));
      const { body } = await atFactor(server(), await signInFlow(), user);
      expect(body.component).toBe('xak-stage-access-denied');
    });

    test('get a code at sign-in only when they are chosen', async () => {
      service.answer = () => json({});
      const { user, number } = await enrolled();
      const flow = await signInFlow();
      const { browser, body, offered: chosen } = await atFactor(server(), flow, user);
      expect(body.device_challenges).toHaveLength(1);
      expect(chosen).toMatchObject({ device_class: 'sms', challenge: {} });
      expect(JSON.stringify(body)).not.toContain(number);
      service.requests.length = 0;
      const selected_challenge = { ...chosen, last_used: undefined };
      expect((await browser.answer(flow, { selected_challenge })).body.response_errors).toBeUndefined();
      expect(JSON.parse(service.requests[0]?.body ?? '{}').To).toBe(number);
      const code = codeSent();
      const wrong = await browser.answer(flow, { selected_challenge, code: otherThan(code) });
      expect(wrong.body.response_errors.code).toHaveLength(1);
      expect(await userIn(browser)).toBeNull();
      expect((await browser.answer(flow, { selected_challenge, code })).body).toEqual(done);
      expect(await userIn(browser)).toBe(user.pk);
      const again = await atFactor(server(), flow, user);
      const replayed = await again.browser.answer(flow, { selected_challenge, code });
      expect(replayed.body.response_errors.code).toHaveLength(1);
    });

    test('cannot be chosen by another person', async () => {
      service.answer = () => json({});
      const [mine, theirs] = [await enrolled(), await enrolled()];
      const flow = await signInFlow();
      const { browser } = await atFactor(server(), flow, mine.user);
      const other = await atFactor(server(), flow, theirs.user);
      service.requests.length = 0;
      const { body } = await browser.answer(flow, { selected_challenge: { ...other.offered, last_used: undefined } });
      expect(body.response_errors.selected_challenge[0].string).toBe('Invalid device');
      expect(service.requests).toHaveLength(0);
    });

    test('send the body that the mapping returns, and nothing if the mapping fails', async () => {
      service.answer = () => json({});
      const mapping = async (expression: string) =>
        (await made(server(), '/propertymappings/notification/', { name: unique('sms'), expression })).pk;
      const user = await person();
      const basic = { auth_type: 'basic', auth: 'name', auth_password: 'word' };
      const good = await mapping('return { phone: device.phone_number, who: user.username, pin: token }');
      const { answer } = await begin((await setUpFlow({ ...basic, mapping: good })).slug, user);
      const number = newNumber();
      await answer({ phone_number: number });
      const posted = JSON.parse(service.requests.at(-1)?.body ?? '');
      expect(posted).toEqual({ phone: number, who: user.username, pin: expect.stringMatching(/^\d{6}$/) });
      expect(service.requests.at(-1)?.headers.authorization).toBe(`Basic ${btoa('name:word')}`);
      const bad = await begin((await setUpFlow({ mapping: await mapping('throw new Error("x")') })).slug, user);
      service.requests.length = 0;
      const { body } = await bad.answer({ phone_number: newNumber() });
      expect(body.response_errors.phone_number[0].string).toBe(
        'The message could not be sent. Please try again later.',
      );
      expect(service.requests).toHaveLength(0);
    });

    const troubles: readonly (readonly [string, () => ServiceAnswer])[] = [
      ['fails', () => json({ token }, 500)],
      ['does not know us', () => json({ message: 'who are you?' }, 401)],
      ['sends elsewhere', () => ({ status: 307, body: '', headers: { location: 'http://127.0.0.1:1/' } })],
      ['is cut off', () => 'cut'],
    ];

    test.each(troubles)('report that nothing was sent when the service %s', async (_, answerOf) => {
      service.answer = answerOf;
      const { answer } = await begin((await setUpFlow()).slug, await person());
      const events = await eventsDuring(server(), async () => {
        const { status, body } = await answer({ phone_number: newNumber() });
        expect(status).toBe(200);
        expect(body).toMatchObject({ component, phone_number_required: true });
        expect(body.response_errors.phone_number[0].string).toBe(
          'The message could not be sent. Please try again later.',
        );
      });
      expect(events.map(({ action }) => action)).toEqual(['configuration_error']);
      expect(JSON.stringify(events)).not.toContain(token);
    });

    test('are refused a custom service without a valid URL', async () => {
      const { body } = await server().admin.post('/stages/authenticator/sms/', {
        name: unique('stage'),
        ...settings({ account_sid: 'no address' }),
      });
      expect(body).toEqual({ account_sid: ['Enter a valid URL.'] });
    });
  },
  { env: loopbackAllowed, clock },
);

describeOnSqlite(
  'SMS devices with a slow or unreachable service',
  (server) => {
    test.each([
      ['silent', () => `${service.url}/messages`],
      ['gone', () => 'http://127.0.0.1:1/messages'],
      ['no host', () => 'http://messages.invalid/'],
    ])('%s: report that nothing was sent', async (_, address) => {
      service.answer = () => 'silence';
      const { slug } = await makeWalk(server(), [['authenticator/sms', settings({ account_sid: address() })]]);
      const browser = await signedInBrowser(server(), (await server().user()).pk);
      await browser.show(slug);
      const { status, body } = await browser.answer(slug, { phone_number: newNumber() });
      expect([status, body.phone_number_required]).toEqual([200, true]);
      expect(body.response_errors.phone_number[0].string).toBe(
        'The message could not be sent. Please try again later.',
      );
    });
  },
  { env: loopbackAllowed },
);
