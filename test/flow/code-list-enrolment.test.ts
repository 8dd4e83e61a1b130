import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { eventsDuring } from '../support/events.ts';

import { openBrowser, signInByPassword } from '../support/flow-client.ts';
import { makeWalk } from '../support/make-walk.ts';
import { password, personWithPassword } from '../support/second-factor.ts';
import { describeOnBoth } from '../support/server.ts';

const flow = 'default-authenticator-static-setup';
const component = 'xak-stage-authenticator-static';

describeOnBoth('enrolment of recovery codes', (server) => {
  const begin = async (slug = flow) => {
    const user = await personWithPassword(server());
    const browser = openBrowser(server());
    await signInByPassword(browser, user.username, password);
    return { user, browser, shown: await browser.show(slug) };
  };
  const stored = async (user: number) => {
    const { rows } = await sql<{ token_hash: string }>`select t.token_hash from device_static_tokens t
      join devices d on d.pk = t.device where d."user" = ${user}`.execute(server().world.db.read);
    return rows;
  };

  test('shows six codes, and the same ones when shown again', async () => {
    const { user, browser, shown } = await begin();
    expect(shown.body).toMatchObject({ component, pending_user: user.username });
    const codes = shown.body.codes as string[];
    expect(new Set(codes).size).toBe(6);
    for (const code of codes) expect(code).toMatch(/^[a-z2-9]{12}$/);
    expect((await browser.show(flow)).body.codes).toEqual(codes);
    expect(await stored(user.pk)).toEqual([]);
  });

  test('stores confirmed codes as hashes, never shows them again, and records one event', async () => {
    const { user, browser, shown } = await begin();
    const codes = shown.body.codes as string[];
    const events = await eventsDuring(server(), async () => {
      expect((await browser.answer(flow, { component })).body.component).toBe('xak-flow-redirect');
    });
    expect(events.map(({ action, username }) => [action, username])).toEqual([['model_created', user.username]]);
    const hashes = await stored(user.pk);
    expect(hashes).toHaveLength(6);
    const [device] = (await browser.get('/authenticators/static/')).body.results;
    expect(device).toEqual({ pk: expect.any(Number), name: 'Recovery codes', token_set: device.token_set });
    expect(device.token_set).toHaveLength(6);
    const seen = JSON.stringify([events, hashes, device, (await browser.show(flow)).body]);
    for (const code of codes) expect(seen).not.toContain(code);
  });

  test.each([
    ['nothing at all', {}],
    ['an answer for another stage', { component: 'xak-stage-dummy' }],
    ['something else', { code: 'abc' }],
  ])('creates no device on %s', async (_, answer) => {
    const { user, browser, shown } = await begin();
    expect((await browser.answer(flow, answer)).body).toMatchObject({ component, codes: shown.body.codes });
    expect(await stored(user.pk)).toEqual([]);
  });

  test('creates one device from an answer sent many times at once', async () => {
    const { user, browser } = await begin();
    await Promise.all(Array.from({ length: 8 }, () => browser.answer(flow, { component })));
    expect(await stored(user.pk)).toHaveLength(6);
  });

  test('generates codes in the number and length that the stage sets', async () => {
    const walk = await makeWalk(server(), [['authenticator/static', { token_count: 3, token_length: 16 }]]);
    const { shown } = await begin(walk.slug);
    expect((shown.body.codes as string[]).map(({ length }) => length)).toEqual([16, 16, 16]);
  });

  test.each([{ token_count: 0 }, { token_count: 101 }, { token_length: 5 }, { token_length: 17 }])(
    'refuses a stage with %j',
    async (values) => {
      const answer = await server().admin.post('/stages/authenticator/static/', { name: 'no such stage', ...values });
      expect(answer.status).toBe(400);
      expect(Object.keys(answer.body)).toEqual(Object.keys(values));
    },
  );
});
