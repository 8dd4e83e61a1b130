import { pbkdf2Sync } from 'node:crypto';
import { hash as argon2Hash } from '@node-rs/argon2';
import { expect, test } from 'vitest';
import { createPasswords, PasswordQueueFull, PasswordTooLong } from './passwords.ts';

const passwords = createPasswords();

function importedHash(password: string): string {
  const [iterations, salt] = [1000, 'c29tZVNhbHQ'];
  return `pbkdf2_sha256$${iterations}$${salt}$${pbkdf2Sync(password, salt, iterations, 32, 'sha256').toString('base64')}`;
}

test('a password is hashed with argon2id, salted, and verified', async () => {
  const hash = await passwords.hash('correct horse');
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(await passwords.hash('correct horse')).not.toBe(hash);
  expect(await passwords.verify(hash, 'correct horse')).toBe(true);
  expect(await passwords.verify(hash, 'correct horsE')).toBe(false);
  expect(await passwords.verify(hash, '')).toBe(false);
  expect(passwords.needsRehash(hash)).toBe(false);
});

test('passwords of any script, and an empty one, verify', async () => {
  for (const password of ['', 'пароль 密码 🔑', 'a\0b', 'x'.repeat(4096)]) {
    const hash = await passwords.hash(password);
    expect(await passwords.verify(hash, password)).toBe(true);
    expect(await passwords.verify(hash, `${password.slice(0, 4095)}y`)).toBe(false);
  }
});

test('an imported hash verifies and asks to be replaced', async () => {
  // Made with another implementation: hashlib.pbkdf2_hmac('sha256', b'correct horse', b'NaCl', 1000).
  const foreign = 'pbkdf2_sha256$1000$NaCl$y6UK+57OG2yJnZIbS3E5E599IliwIIbBdkxEFXXGYlM=';
  for (const hash of [importedHash('correct horse'), foreign]) {
    expect(await passwords.verify(hash, 'correct horse')).toBe(true);
    expect(await passwords.verify(hash, 'wrong')).toBe(false);
    expect(passwords.needsRehash(hash)).toBe(true);
  }
});

test('an argon2 hash of another cost verifies and asks to be replaced', async () => {
  const weak = await argon2Hash('correct horse', { memoryCost: 1024, timeCost: 1, parallelism: 1 });
  expect(await passwords.verify(weak, 'correct horse')).toBe(true);
  expect(passwords.needsRehash(weak)).toBe(true);
  const otherKind = await argon2Hash('correct horse', {
    memoryCost: 19_456,
    timeCost: 2,
    parallelism: 1,
    algorithm: 1,
  });
  expect(await passwords.verify(otherKind, 'correct horse')).toBe(true);
  expect(passwords.needsRehash(otherKind)).toBe(true);
});

test.each([
  null,
  '',
  '!',
  '!f00',
  'correct horse',
  '$argon2id$',
  '$argon2id$v=19$m=19456,t=2,p=1$!$!',
  '$argon2id$v=19$m=4294967295,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  '$argon2id$v=19$m=19456,t=4294967295,p=1$c29tZXNhbHRzb21lc2FsdA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  'pbkdf2_sha256$1000$salt$',
  'pbkdf2_sha256$0$salt$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=',
  'pbkdf2_sha256$99999999$salt$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=',
  'pbkdf2_sha1$1000$salt$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=',
])('the hash %j belongs to no password', async (hash) => {
  expect(await passwords.verify(hash, 'correct horse')).toBe(false);
  expect(await passwords.verify(hash, '')).toBe(false);
});

test('a user who is not there costs the time of one who is', async () => {
  const real = await passwords.hash('correct horse');
  const stored = [real, null, '!unusable', 'garbage'];
  const times = stored.map((): number[] => []);
  // In turns, so that a busy machine slows all of them alike.
  for (let round = 0; round < 9; round++) {
    for (const [index, hash] of stored.entries()) {
      const start = performance.now();
      await passwords.verify(hash, 'wrong');
      times[index]?.push(performance.now() - start);
    }
  }
  // The shortest of each: other work on the machine only ever makes it longer.
  const [expected = 0, ...others] = times.map((each) => Math.min(...each));
  for (const shortest of others) {
    expect(shortest / expected).toBeGreaterThan(0.5);
    expect(shortest / expected).toBeLessThan(2);
  }
});

test('a password of more than 4096 characters is refused without hashing', async () => {
  const long = 'x'.repeat(4097);
  const busy = createPasswords({ concurrency: 1, queue: 0 });
  const running = busy.hash('occupies the only place');
  await expect(busy.hash(long)).rejects.toThrow(PasswordTooLong);
  expect(await busy.verify(null, long)).toBe(false);
  expect(await busy.verify(importedHash(long), long)).toBe(false);
  await running;
});

test('past the bound of the queue a password is turned away, and later taken again', async () => {
  const bounded = createPasswords({ concurrency: 1, queue: 2 });
  const settled = await Promise.allSettled([1, 2, 3, 4, 5].map((each) => bounded.verify(null, `password ${each}`)));
  expect(settled.map((each) => each.status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'rejected']);
  expect(settled[3]).toMatchObject({ reason: expect.any(PasswordQueueFull) });
  expect(await bounded.verify(null, 'again')).toBe(false);
});

test('a queue under load serves everybody in turn', async () => {
  const bounded = createPasswords({ concurrency: 2, queue: 100 });
  const served: number[] = [];
  const hash = await bounded.hash('correct horse');
  const answers = await Promise.all(
    Array.from({ length: 12 }, async (_, index) => {
      const right = await bounded.verify(hash, index % 2 ? 'wrong' : 'correct horse');
      served.push(index);
      return right;
    }),
  );
  expect(answers).toEqual(Array.from({ length: 12 }, (_, index) => index % 2 === 0));
  expect(served.indexOf(0)).toBeLessThan(3);
  expect(served.indexOf(11)).toBeGreaterThan(8);
});
