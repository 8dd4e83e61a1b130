import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { signInFlow } from '../support/flow-client.ts';
import { giveApp, isSignedIn, pastPassword, personWithPassword, step, stillClock } from '../support/second-factor.ts';
import { describeOnBoth } from '../support/server.ts';

const blocked = /^Too many failed attempts\. Try again in \d+ seconds\.$/;
const most = 11;
const clock = stillClock();

describeOnBoth(
  'brute force: guessing codes',
  (server) => {
    const failuresOf = async (user: number) => {
      const { db, key } = server().world;
      const subject = key.hash(`attempts:second-factor:${user}`);
      const { rows } = await sql<{ failures: number }>`select failures from sign_in_attempts
        where subject = ${subject}`.execute(db.read);
      return rows[0]?.failures ?? 0;
    };
    const withApp = async () => {
      const user = await personWithPassword(server());
      return { ...user, app: await giveApp(server(), user.username) };
    };

    test('of two hundred guesses at once only a few are checked, and a right one among the rest fails', async () => {
      const user = await withApp();
      const browsers = await Promise.all(Array.from({ length: 10 }, () => pastPassword(server(), user.username)));
      const answers = await Promise.all(
        Array.from({ length: 200 }, (_, i) => browsers[i % 10]?.browser.answer(signInFlow, { code: `guess ${i}` })),
      );
      expect(answers.every((answer) => answer?.status === 200)).toBe(true);
      expect(await failuresOf(user.pk)).toBe(most);
      const { browser } = await pastPassword(server(), user.username);
      const { body } = await browser.answer(signInFlow, { code: user.app.code() });
      expect(body.response_errors.code[0].string).toMatch(blocked);
      expect(await isSignedIn(browser)).toBe(false);
    });

    test('a right password does not reset the count of wrong codes', async () => {
      const user = await withApp();
      for (let round = 0; round < 4; round++) {
        const { browser } = await pastPassword(server(), user.username);
        for (let guess = 0; guess < 3; guess++) await browser.answer(signInFlow, { code: `no ${guess}` });
      }
      expect(await failuresOf(user.pk)).toBe(most);
    });

    test('a right code resets the count after the wait', async () => {
      const user = await withApp();
      const { browser } = await pastPassword(server(), user.username);
      for (let guess = 0; guess < 12; guess++) await browser.answer(signInFlow, { code: `no ${guess}` });
      clock.forward(step);
      await browser.answer(signInFlow, { code: user.app.code() });
      expect(await isSignedIn(browser)).toBe(true);
      expect(await failuresOf(user.pk)).toBe(0);
    });

    test('guesses at one user do not delay another', async () => {
      const [user, other] = [await withApp(), await withApp()];
      const guesser = await pastPassword(server(), user.username);
      for (let guess = 0; guess < 12; guess++) await guesser.browser.answer(signInFlow, { code: `no ${guess}` });
      const { browser } = await pastPassword(server(), other.username);
      await browser.answer(signInFlow, { code: other.app.code() });
      expect(await isSignedIn(browser)).toBe(true);
    });
  },
  { clock },
);
