import { sql } from 'kysely';
import type { Query } from '../../platform/db/database.ts';
import type { SecretBox } from '../../platform/keys.ts';
import { randomUuid } from '../../platform/random.ts';

/** What keys are sealed and looked up with. */
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
}

/** Stores a token that the server itself hands out; returns its primary key. Requests make theirs through the resource. */
export async function issueToken(tx: Query, needs: KeyNeeds, token: NewToken): Promise<string> {
  const pk = randomUuid();
  await sql`insert into tokens (pk, identifier, key, key_hash, intent, "user", description, expires, expiring, managed)
    values (${pk}, ${token.identifier}, ${sealKey(needs, token.key)}, ${needs.hash(token.key)}, ${token.intent}, ${token.user},
      ${token.description ?? ''}, ${token.expires}, ${token.expires !== null}, ${token.managed ?? null})`.execute(tx);
  return pk;
}

/** The key is looked up by its hash; the sealed copy serves those who may see it again. */
export async function storeKey(tx: Query, needs: KeyNeeds, pk: string, key: string): Promise<void> {
  await sql`update tokens set key = ${sealKey(needs, key)}, key_hash = ${needs.hash(key)} where pk = ${pk}`.execute(tx);
}

const sealedFor = 'tokens.key';
const sealKey = ({ box }: KeyNeeds, key: string): string => box.seal(key, sealedFor);
export const openKey = ({ box }: KeyNeeds, sealed: string): string =>
  sealed === '' ? '' : box.open(sealed, sealedFor);
