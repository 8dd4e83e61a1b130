import { sql } from 'kysely';
import { parseDuration } from '../../lib/duration.ts';
import { addMilliseconds } from '../../platform/clock.ts';
import { randomText } from '../../platform/random.ts';
import type { Call } from '../../resource/call.ts';
import type { SettingsStore } from '../settings/settings.ts';
import { type KeyNeeds, storeKey } from '../token/issue-token.ts';

export interface RotationNeeds {
  readonly key: KeyNeeds;
  readonly settings: SettingsStore;
}

const batchSize = 100;

interface ExpiredToken {
  readonly pk: string;
  readonly identifier: string;
}

/** Gives expired API tokens a new key and expiry. The old key stays invalid; references to the token stay intact. */
export async function rotateTokens(
  { key, settings }: RotationNeeds,
  call: () => Call,
  signal: AbortSignal,
): Promise<number> {
  let total = 0;
  while (!signal.aborted) {
    const { now, db, world } = call();
    const rotated = await db.write(async (tx) => {
      const { rows } = await sql<ExpiredToken>`select pk, identifier from tokens t
        where intent = 'api' and expiring and expires <= ${now} limit ${batchSize} ${db.dialect.forUpdate}`.execute(tx);
      const { default_token_duration, default_token_length } = await settings.read(tx);
      const expires = addMilliseconds(now, parseDuration(default_token_duration) ?? 0);
      for (const token of rows) {
        await storeKey(tx, key, token.pk, randomText(default_token_length));
        await sql`update tokens set expires = ${expires} where pk = ${token.pk}`.execute(tx);
        await world.record(tx, call(), rotationOf(token));
      }
      return rows.length;
    });
    total += rotated;
    if (rotated < batchSize) break;
  }
  return total;
}

function rotationOf({ pk, identifier }: ExpiredToken) {
  const model = { app: 'svc_core', model_name: 'token', pk: pk.replaceAll('-', ''), name: identifier };
  const message = `Token ${identifier}'s secret was rotated.`;
  return { action: 'secret_rotate', app: 'svc_core', context: { message, model } };
}
