import { sql } from 'kysely';
import type { Query } from '../../platform/db/database.ts';
import { nullIfUnreadable, type SecretBox, sealContext } from '../../platform/keys.ts';
import { randomUuid } from '../../platform/random.ts';

/** Seals keys and hashes them for lookup. */
export interface KeyNeeds {
  readonly box: SecretBox;
  hash(text: string): string;
}

export type TokenIntent = 'verification' | 'api' | 'recovery' | 'app_password';

export interface NewToken {
  readonly identifier: string;
  readonly intent: TokenIntent;
  readonly user: number;
  readonly key: string;
  readonly description?: string;
  /** Null: the token does not expire. */
  readonly expires: string | null;
  readonly managed?: string;
  /** The only use it is valid for; by default the API. */
  readonly audience?: string;
}

/** Stores a token issued by the server itself; returns its primary key. Requests create tokens through the resource. */
export async function issueToken(tx: Query, needs: KeyNeeds, token: NewToken): Promise<string> {
  const pk = randomUuid();
  await sql`insert into tokens (pk, identifier, key, key_hash, intent, "user", description, expires, expiring, managed, audience)
    values (${pk}, ${token.identifier}, ${sealKey(needs, pk, token.key)}, ${needs.hash(token.key)}, ${token.intent}, ${token.user},
      ${token.description ?? ''}, ${token.expires}, ${token.expires !== null}, ${token.managed ?? null}, ${token.audience ?? null})`.execute(
    tx,
  );
  return pk;
}

/** The hash is for lookup; the sealed copy is for those who may view the key. */
export async function storeKey(tx: Query, needs: KeyNeeds, pk: string, key: string): Promise<void> {
  await sql`update tokens set key = ${sealKey(needs, pk, key)}, key_hash = ${needs.hash(key)} where pk = ${pk}`.execute(
    tx,
  );
}

const sealedFor = (pk: string) => sealContext('tokens', 'key', pk);
const sealKey = ({ box }: KeyNeeds, pk: string, key: string): string => box.seal(key, sealedFor(pk));

/** Null if it cannot be opened: sealed with another instance key, or for another token. */
export function openKey({ box }: KeyNeeds, pk: string, sealed: string): string | null {
  if (sealed === '') return '';
  return nullIfUnreadable(() => box.open(sealed, sealedFor(pk)));
}
