import { pbkdf2 } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { hash as argon2Hash, verify as argon2Verify, type ParsedHashOptions, parseOptions } from '@node-rs/argon2';
import { equalInConstantTime } from '../lib/constant-time.ts';
import { createWorkQueue } from '../lib/work-queue.ts';

export interface Passwords {
  hash(password: string): Promise<string>;
  /** Without a usable hash the result is false, after the same time as for a wrong password. */
  verify(hash: string | null, password: string): Promise<boolean>;
  /** Whether a hash that was just verified should be replaced by a new hash of the same password. */
  needsRehash(hash: string): boolean;
}

/** Too many passwords are waiting to be hashed: try again later. */
export class PasswordQueueFull extends Error {
  override readonly name = 'PasswordQueueFull';

  constructor() {
    super('too many passwords are being checked at this moment');
  }
}

export class PasswordTooLong extends Error {
  override readonly name = 'PasswordTooLong';

  constructor() {
    super(`a password has at most ${maxPasswordLength} characters`);
  }
}

type Check = (password: string) => Promise<boolean>;

export const maxPasswordLength = 4096;
const argon2id = 2;
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** A stored hash sets the cost of its own verification: beyond these limits it would be a denial of service. */
const highestMemoryCost = 262_144;
const highestTimeCost = 16;
const maxIterations = 10_000_000;

const madeWithCost = `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=${cost.parallelism}$`;
/** A hash that no password matches, at our current cost. */
const nobodysHash = `${madeWithCost}${'A'.repeat(22)}$${'A'.repeat(43)}`;
/** 16 and 32 bytes in base64; the unused bits of the last characters must be zero. */
const saltAndHash = /^[A-Za-z0-9+/]{21}[AQgw]\$[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]$/;
/** Fast path: nearly all hashes have our current parameters, which is faster to check than to parse. */
const isOurs = (hash: string): boolean =>
  hash.startsWith(madeWithCost) && saltAndHash.test(hash.slice(madeWithCost.length));

const derivePbkdf2 = promisify(pbkdf2);

/**
 * Hashing takes cores and memory, so `concurrency` run at once and `queue` more may wait. The default is one more than
 * the number of cores, so that no core idles, but leaves one of the four threads that Node shares between hashing,
 * files and DNS.
 */
export function createPasswords(
  limits: { concurrency?: number | undefined; queue?: number | undefined } = {},
): Passwords {
  const run = createWorkQueue({
    concurrency: limits.concurrency ?? Math.min(3, availableParallelism() + 1),
    queue: limits.queue ?? 256,
    full: () => new PasswordQueueFull(),
  });
  return {
    async hash(password) {
      if (password.length > maxPasswordLength) throw new PasswordTooLong();
      return run(() => argon2Hash(password, cost));
    },
    async verify(hash, password) {
      if (password.length > maxPasswordLength) return false;
      const check = hash === null ? null : findCheck(hash);
      return run(async () => {
        if (check) return check(password);
        await argon2Verify(nobodysHash, password);
        return false;
      });
    },
    needsRehash,
  };
}

function findCheck(hash: string): Check | null {
  if (hash.startsWith('$argon2')) return findArgon2Check(hash);
  if (hash.startsWith('pbkdf2_sha256$')) return findPbkdf2Check(hash);
  return null;
}

function findArgon2Check(hash: string): Check | null {
  const check: Check = (password) => argon2Verify(hash, password);
  if (isOurs(hash)) return check;
  const options = readArgon2Options(hash);
  if (!options || options.memoryCost > highestMemoryCost || options.timeCost > highestTimeCost) return null;
  return check;
}

function readArgon2Options(hash: string): ParsedHashOptions | null {
  try {
    return parseOptions(hash);
  } catch {
    // The library throws if a text is not a hash.
    return null;
  }
}

/** `pbkdf2_sha256$iterations$salt$base64`, for imported users. */
function findPbkdf2Check(hash: string): Check | null {
  const match = /^pbkdf2_sha256\$([1-9]\d{0,7})\$([^$]+)\$([A-Za-z0-9+/]{43}=)$/.exec(hash);
  const [, iterations, salt, expected] = match ?? [];
  if (!iterations || !salt || !expected || Number(iterations) > maxIterations) return null;
  return async (password) => {
    const derived = await derivePbkdf2(password, salt, Number(iterations), 32, 'sha256');
    return equalInConstantTime(derived.toString('base64'), expected);
  };
}

function needsRehash(hash: string): boolean {
  if (isOurs(hash)) return false;
  const options = readArgon2Options(hash);
  return (
    !options ||
    Number(options.algorithm) !== argon2id ||
    options.memoryCost !== cost.memoryCost ||
    options.timeCost !== cost.timeCost ||
    options.parallelism !== cost.parallelism
  );
}
