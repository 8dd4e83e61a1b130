import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { link, open, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { equalInConstantTime } from '../lib/constant-time.ts';
import { makeFolder } from './make-folder.ts';

/** Reversible encryption. The context is authenticated: a sealed text opens in no other (see `sealContext`). */
export interface SecretBox {
  seal(plain: string, context: string): string;
  open(sealed: string, context: string): string;
}

/** Binds a sealed value to its table, column and row: moved to another row, it does not open. */
export const sealContext = (table: string, column: string, key: string | number): string => `${table}.${column} ${key}`;

export interface InstanceKey {
  readonly box: SecretBox;
  /** For looking up high-entropy tokens by hash; not for passwords. */
  hash(text: string): string;
  sign(purpose: string, text: string): string;
  verify(purpose: string, text: string, signature: string): boolean;
}

export class SealedSecretError extends Error {
  override readonly name = 'SealedSecretError';

  constructor(options?: ErrorOptions) {
    super('the stored secret was sealed with another instance key or for another row', options);
  }
}

/** Returns null if the value cannot be opened. */
export function nullIfUnreadable<T>(open: () => T): T | null {
  try {
    return open();
  } catch (error) {
    if (error instanceof SealedSecretError) return null;
    throw error;
  }
}

const fileName = 'secret.key';
const minKeyLength = 32;
const sealedPrefix = 'v1:';
const nonceBytes = 12;
const tagBytes = 16;

/** Loads the key from the settings or else from the data folder, where it is generated at the first start. */
export async function loadInstanceKey(from: {
  configured?: string | undefined;
  dataDir: string;
}): Promise<InstanceKey> {
  return createInstanceKey(from.configured ?? (await loadKeyFile(from.dataDir)));
}

export function createInstanceKey(secret: string): InstanceKey {
  if (secret.length < minKeyLength) throw new Error(`the secret key needs at least ${minKeyLength} characters`);
  const derive = (purpose: string): Buffer => Buffer.from(hkdfSync('sha256', secret, 'gatehouse', purpose, 32));
  const lookUpKey = createSecretKey(derive('look-up hash'));
  const signingKey = derive('signature');

  const sign = (purpose: string, text: string): string =>
    hmac(hmac(signingKey, purpose).digest(), text).digest('base64url');

  return {
    box: createSecretBox(derive('secret box')),
    hash: (text) => hmac(lookUpKey, text).digest('hex'),
    sign,
    verify: (purpose, text, signature) => equalInConstantTime(sign(purpose, text), signature),
  };
}

function hmac(key: Buffer | KeyObject, text: string) {
  return createHmac('sha256', key).update(text);
}

function createSecretBox(key: Buffer): SecretBox {
  return {
    seal(plain, context) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
      cipher.setAAD(Buffer.from(context));
      const encrypted = [nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()];
      return sealedPrefix + Buffer.concat(encrypted).toString('base64url');
    },

    open(sealed, context) {
      const text = sealed.slice(sealedPrefix.length);
      const bytes = Buffer.from(text, 'base64url');
      // Node skips characters that are not base64url: without the comparison, altered text could still open.
      const isWhole = sealed.startsWith(sealedPrefix) && bytes.toString('base64url') === text;
      if (!isWhole || bytes.length < nonceBytes + tagBytes) throw new SealedSecretError();
      try {
        const nonce = bytes.subarray(0, nonceBytes);
        const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
        decipher.setAAD(Buffer.from(context));
        decipher.setAuthTag(bytes.subarray(-tagBytes));
        return decipher.update(bytes.subarray(nonceBytes, -tagBytes), undefined, 'utf8') + decipher.final('utf8');
      } catch (cause) {
        throw new SealedSecretError({ cause });
      }
    },
  };
}

async function loadKeyFile(dataDir: string): Promise<string> {
  const path = join(dataDir, fileName);
  const secret = (await readIfPresent(path)) ?? (await makeKeyFile(dataDir, path));
  // A damaged file must stop the start: with another key, every stored secret would be lost silently.
  if (secret.trim().length < minKeyLength) throw new Error(`the key file ${path} is damaged: restore it from a backup`);
  return secret.trim();
}

/** The contents of the key file, or null if there is none. For backups. */
export async function readKeyFile(dataDir: string): Promise<string | null> {
  return (await readIfPresent(join(dataDir, fileName)))?.trim() ?? null;
}

/** Restores a key from a backup; never overwrites another key. */
export async function restoreKeyFile(dataDir: string, secret: string): Promise<void> {
  makeFolder(dataDir);
  await writeFlushed(join(dataDir, fileName), `${secret}\n`);
  await flushFolder(dataDir);
}

async function readIfPresent(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null;
    throw error;
  }
}

/**
 * Written to a temporary file, flushed and hard-linked: the file is complete or absent. A link never replaces, so among
 * processes that start together one wins and all read its key.
 */
async function makeKeyFile(dataDir: string, path: string): Promise<string> {
  makeFolder(dataDir);
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    await writeFlushed(draft, `${randomBytes(32).toString('base64url')}\n`);
    await link(draft, path).catch((error: unknown) => {
      if (!isCode(error, 'EEXIST')) throw error;
    });
  } finally {
    await unlink(draft).catch(() => {
      // The draft was never created; the error that prevented it is propagating.
    });
  }
  await flushFolder(dataDir);
  return readFile(path, 'utf8');
}

async function writeFlushed(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function flushFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
