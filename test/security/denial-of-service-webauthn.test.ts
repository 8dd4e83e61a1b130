import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openBrowser } from '../support/flow-client.ts';
import { makeWalk } from '../support/make-walk.ts';
import { describeOnBoth } from '../support/server.ts';
import { signedInBrowser } from '../support/signed-in-browser.ts';
import { createAuthenticator, type Tricks } from '../support/software-authenticator.ts';

const setup = 'default-authenticator-webauthn-setup';
const failed = 'This device could not be registered. Please try again.';
const bytes = (...values: number[]) => Buffer.from(values);
const many = (byte: number, count: number) => Buffer.alloc(count, byte);

const objects: readonly (readonly [string, Buffer])[] = [
  ['nothing', bytes()],
  ['arrays within arrays', Buffer.concat([many(0x81, 1_000_000), bytes(0)])],
  ['maps within maps', Buffer.concat([many(0xa1, 1_000_000), bytes(0)])],
  ['tags of tags', Buffer.concat([many(0xc1, 1_000_000), bytes(0)])],
  ['an array that claims 2^53 members', bytes(0x9b, 0, 0x1f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0)],
  ['a text that claims 4 GB', bytes(0x7a, 0xff, 0xff, 0xff, 0xff, 0x61)],
  ['a map without an end', bytes(0xbf, 0x61, 0x61, 0)],
  ['an array without an end', bytes(0x9f, 0)],
  ['a map with one key twice', bytes(0xa2, 0x61, 0x61, 0, 0x61, 0x61, 1)],
  ['a million numbers', Buffer.concat([bytes(0x9a, 0, 0x0f, 0x42, 0x40), many(0, 1_000_000)])],
  ['a number', bytes(0)],
];

describeOnBoth('denial of service: hostile answers of passkeys', (server) => {
  const begin = async (user?: number) => {
    const browser = await signedInBrowser(server(), user ?? (await server().user()).pk);
    const { registration } = (await browser.show(setup)).body;
    const key = createAuthenticator({ origin: server().url });
    const answer = (tricks: Tricks) => browser.answer(setup, { response: key.register(registration, tricks) });
    return { browser, registration, key, answer };
  };
  const faults = async () => {
    const { rows } = await sql`select 1 from events where action = 'system_exception'`.execute(server().world.db.read);
    return rows.length;
  };

  test.each(objects)('%s', async (_, object) => {
    const before = await faults();
    const { answer } = await begin();
    const { status, body } = await answer({ object });
    expect([status, body.response_errors?.response[0].string]).toEqual([200, failed]);
    expect(await faults()).toBe(before);
  });

  test.each([
    ['an array', []],
    ['a number', 0],
    ['a text', ''],
  ] as const)('%s for a statement is no fault, and vouches for nothing', async (_, statement) => {
    const before = await faults();
    const { answer } = await begin();
    expect((await answer({ statement })).body.component).toBe('xak-flow-redirect');
    expect(await faults()).toBe(before);
  });

  test('a credential id is at most 1,023 bytes long', async () => {
    const { answer } = await begin();
    const { status, body } = await answer({ credentialId: randomBytes(4_000).toString('base64url') });
    expect([status, body.response_errors?.response[0].string]).toEqual([200, failed]);
  });

  test('of two who register one key at once, one succeeds', async () => {
    const [one, two] = [await begin(), await begin()];
    const { key } = one;
    const answers = await Promise.all(
      [one, two].map(({ browser, registration }) => browser.answer(setup, { response: key.register(registration) })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers.filter(({ body }) => body.component === 'xak-flow-redirect')).toHaveLength(1);
    const { rows } = await sql`select 1 from device_webauthn where credential_id = ${key.credentialId}`.execute(
      server().world.db.read,
    );
    expect(rows).toHaveLength(1);
  });

  test('a name that no database stores is no user’s', async () => {
    const { slug } = await makeWalk(server(), [['authenticator/validate', { device_classes: ['webauthn'] }]], {
      designation: 'authentication',
    });
    for (const id of ['\u0000', '\ud800', 'x'.repeat(1_000_000), ['x'], {}]) {
      const browser = openBrowser(server());
      await browser.show(slug);
      expect((await browser.answer(slug, { webauthn: { id, response: {} } })).status).toBe(200);
    }
  });
});
