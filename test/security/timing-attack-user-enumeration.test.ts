import { expect, test } from 'vitest';
import type { Passwords } from '../../src/platform/passwords.ts';
import { type Browser, openBrowser } from '../support/flow-client.ts';
import { made, makeWalk, unique } from '../support/make-walk.ts';
import { makeRecovery } from '../support/recovery.ts';
import { describeOnBoth } from '../support/server.ts';

const backends = ['svc.core.auth.InbuiltBackend', 'svc.core.auth.TokenBackend'];
const env = { GATEHOUSE_SMTP_URL: 'smtp://127.0.0.1:9', GATEHOUSE_SMTP_FROM: 'gatehouse@example.com' };
/** Read, or told to other instances, once in a while, whoever asks. */
const sharedByAll = /from settings|pg_notify|^select value from stamps/;
const frozen = { now: () => '2034-01-02T03:04:05.000000Z' };

// By how long an answer takes one learns who has an account. Clocks differ from run to run; what is done does not.
describeOnBoth(
  'timing attack: unknown and known user names cost the same work',
  (server) => {
    const person = async (values: Record<string, unknown> = {}) => {
      const user = await server().user([], { email: `${unique('me')}@example.org`, ...values });
      await server().admin.post(`/core/users/${user.pk}/set_password/`, { password: 'right horse' });
      return user.username;
    };

    /** The statements and the checks of passwords that an answer takes, in order. */
    async function workOf(browser: Browser, slug: string, answer: Record<string, unknown>): Promise<string[]> {
      const work: string[] = [];
      const { db, passwords } = server().world;
      const { verify } = passwords;
      const stop = db.onStatement(({ sql }) => {
        if (!sharedByAll.test(sql)) work.push(sql);
      });
      const watched: Passwords['verify'] = (hash, password) => {
        work.push('argon2id');
        return verify(hash, password);
      };
      Object.assign(passwords, { verify: watched });
      await browser.answer(slug, answer);
      Object.assign(passwords, { verify });
      stop();
      return work;
    }

    /** What each answer of a walk costs a user who calls themselves so. */
    async function costs(slug: string, name: string, answers: readonly Record<string, unknown>[]): Promise<string[][]> {
      const browser = openBrowser(server());
      await browser.show(slug);
      const work: string[][] = [];
      for (const answer of answers) {
        const given = 'uid_field' in answer ? { ...answer, uid_field: name } : answer;
        work.push(await workOf(browser, slug, given));
      }
      return work;
    }

    /** Compares after what is kept for later has been kept: the first walk of all reads more than the others. */
    async function compare(slug: string, answers: readonly Record<string, unknown>[]): Promise<string[][]> {
      await costs(slug, await person(), answers);
      const known = await costs(slug, await person(), answers);
      // What is kept is the same for everybody and goes with every commit: making a person is one.
      await person();
      expect(await costs(slug, unique('nobody'), answers)).toEqual(known);
      expect(await costs(slug, await person({ is_active: false }), answers)).toEqual(known);
      return known;
    }

    const wrong = { password: 'wrong' };

    test('when signing in step by step', async () => {
      const flow = 'default-authentication-flow';
      const answers = [{ uid_field: '' }, wrong, wrong];
      const known = await compare(flow, answers);
      expect(known.map((work) => work.filter((done) => done === 'argon2id').length)).toEqual([0, 1, 1]);
      // Nor does it tell who was here before.
      const seen = await person();
      for (const _ of ['first', 'again']) expect(await costs(flow, seen, answers)).toEqual(known);
    });

    test('when signing in on one screen', async () => {
      const password_stage = (await made(server(), '/stages/password/', { name: unique('password'), backends })).pk;
      const settings = { user_fields: ['username', 'email'], password_stage };
      const walk = await makeWalk(server(), [['identification', settings], ['user_login']]);
      const known = await compare(walk.slug, [{ uid_field: '', password: 'wrong' }]);
      expect(known[0]?.filter((done) => done === 'argon2id')).toHaveLength(1);
    });

    test('when recovering by mail', async () => {
      const walk = await makeRecovery(server());
      const known = await compare(walk.slug, [{ uid_field: '' }, { component: 'xak-stage-email' }]);
      expect(known[0]?.some((statement) => statement.includes('insert into flow_links'))).toBe(true);
    });
  },
  { env, clock: frozen },
);
