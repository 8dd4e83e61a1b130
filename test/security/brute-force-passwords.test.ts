import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { addMilliseconds, systemClock } from '../../src/platform/clock.ts';
import { openBrowser, signInByPassword, signInFlow } from '../support/flow-client.ts';
import { makeWalk, unique } from '../support/make-walk.ts';
import { recoverBy } from '../support/recovery.ts';
import { describeOnBoth, type TestServer } from '../support/server.ts';

const flow = signInFlow;
const most = 11;
const blocked = /^Too many failed attempts\. Try again in \d+ seconds\.$/;

/** A browser at the question for the password of this name. */
async function atPassword(server: TestServer, name: string) {
  const browser = openBrowser(server);
  await browser.show(flow);
  await browser.answer(flow, { uid_field: name });
  return browser;
}

/** Stands still unless it is moved, so that how slow the machine is decides nothing. */
const clock = {
  at: systemClock.now(),
  now: () => clock.at,
  forward(milliseconds: number) {
    clock.at = addMilliseconds(clock.at, milliseconds);
  },
};

describeOnBoth(
  'brute force: guessing passwords and names',
  (server) => {
    const person = async () => {
      const user = await server().user();
      await server().admin.post(`/core/users/${user.pk}/set_password/`, { password: 'right horse' });
      return user;
    };

    test('of two hundred guesses at once only a few are checked, and a right one among the rest fails', async () => {
      const user = await person();
      const browsers = await Promise.all(Array.from({ length: 10 }, () => atPassword(server(), user.username)));
      const answers = await Promise.all(
        Array.from({ length: 200 }, (_, i) => browsers[i % 10]?.answer(flow, { password: `guess ${i}` })),
      );
      expect(answers.every((answer) => answer?.status === 200)).toBe(true);
      const { rows } = await sql<{
        failures: number;
      }>`select failures from sign_in_attempts where subject = ${server().world.key.hash(`attempts:name:${user.username.toLowerCase()}`)}`.execute(
        server().world.db.read,
      );
      expect(rows[0]?.failures).toBe(most);
      const late = await atPassword(server(), user.username);
      const right = await late.answer(flow, { password: 'right horse' });
      expect(right.body.response_errors.password[0].string).toMatch(blocked);
      expect((await late.get('/core/users/me/')).status).toBe(403);
      clock.forward(2_001);
      expect((await late.answer(flow, { password: 'wrong' })).body.response_errors.password[0].string).not.toMatch(
        blocked,
      );
      clock.forward(2_001);
      expect((await late.answer(flow, { password: 'right horse' })).body.response_errors.password[0].string).toMatch(
        blocked,
      );
      clock.forward(2_001);
      expect((await late.answer(flow, { password: 'right horse' })).body.component).toBe('xak-flow-redirect');
    });

    test('the wait is the same for an unknown user name', async () => {
      const user = await person();
      const words = async (name: string) => {
        const said: string[] = [];
        for (let round = 0; round < 3; round++) {
          const browser = await atPassword(server(), name);
          for (let i = 0; i < 4; i++) {
            const { body } = await browser.answer(flow, { password: 'wrong' });
            said.push(body.response_errors?.password[0].string ?? body.error_message);
          }
        }
        return said;
      };
      const known = await words(user.username);
      expect(known).toContainEqual(expect.stringMatching(blocked));
      expect(known).toContain('That password is not right. 3 tries left.');
      expect(await words(`nobody-${user.pk}`)).toEqual(known);
    });

    test('who must wait learns how long, and of the recovery flow if there is one', async () => {
      const names = [(await person()).username, unique('nobody')];
      for (const name of names) {
        for (let i = 0; i < most + 5; i++) {
          clock.forward(100_000);
          await (await atPassword(server(), name)).answer(flow, { password: 'wrong' });
        }
        const late = await atPassword(server(), name);
        const message = async () =>
          (await late.answer(flow, { password: 'wrong' })).body.response_errors.password[0].string;
        clock.forward(4_000);
        expect(await message()).toBe('Too many failed attempts. Try again in 60 seconds.');
        await late.show(flow);
        clock.forward(60_000);
        expect(await message()).toBe('That password is not right.');
        const { pk } = await makeWalk(server(), [['dummy']], { designation: 'recovery' });
        await recoverBy(server(), pk);
        expect(await message()).toBe('Too many failed attempts. Try again in 3 minutes, or reset your password.');
        const german = openBrowser(server(), { 'accept-language': 'de' });
        await german.show(flow);
        await german.answer(flow, { uid_field: name });
        const { response_errors } = (await german.answer(flow, { password: 'wrong' })).body;
        expect(response_errors.password[0].string).toBe(
          'Zu viele Fehlversuche. Versuchen Sie es in 3 Minuten erneut, oder setzen Sie Ihr Passwort zurück.',
        );
        await recoverBy(server(), null);
      }
    });

    test('other spellings of a name have no count of their own', async () => {
      const user = await server().user([], { username: 'sam.fisher' });
      await server().admin.post(`/core/users/${user.pk}/set_password/`, { password: 'right horse' });
      const said: string[] = [];
      for (const name of ['sam.fisher', 'SAM.fisher', 'ſam.fisher', 'ｓａｍ.fisher', 'sam.ﬁsher']) {
        const browser = await atPassword(server(), name);
        for (let i = 0; i < 3; i++) {
          const { body } = await browser.answer(flow, { password: 'wrong' });
          said.push(body.response_errors?.password[0].string ?? body.error_message);
        }
      }
      expect(said.findIndex((text) => blocked.test(text))).toBe(most);
    });

    test('a right password resets the count', async () => {
      const user = await person();
      for (let round = 0; round < 4; round++) {
        const browser = await atPassword(server(), user.username);
        for (let i = 0; i < 4; i++) await browser.answer(flow, { password: 'wrong' });
        const right = await browser.answer(flow, { password: 'right horse' });
        expect(right.body.component).toBe('xak-flow-redirect');
      }
    });

    test('the answer to the first question does not tell whether a user exists', async () => {
      const user = await person();
      const shown = async (name: string) => {
        const browser = openBrowser(server());
        await browser.show(flow);
        const { body } = await browser.answer(flow, { uid_field: name });
        return Object.keys(body).sort();
      };
      expect(await shown(user.username)).toEqual(await shown('nobody-at-all'));
      expect((await signInByPassword(openBrowser(server()), user.username, 'right horse')).status).toBe(200);
    });
  },
  { clock },
);
