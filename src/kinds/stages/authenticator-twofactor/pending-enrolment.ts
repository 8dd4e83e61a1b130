import { sql } from 'kysely';
import { addMilliseconds } from '../../../platform/clock.ts';
import type { Query } from '../../../platform/db/database.ts';
import { type InstanceKey, sealContext } from '../../../platform/keys.ts';
import type { Activation } from './twofactor-api.ts';

/** Shorter than at the service, so that a displayed activation is still valid. */
const lifetimeMs = 23 * 3_600_000;

interface Enrolment {
  readonly user: number;
  readonly stage: string;
}

const sealedFor = ({ user, stage }: Enrolment) => sealContext('twofactor_enrolments', 'activation', `${user} ${stage}`);

/** Finds a pending activation. The service creates only one account per name, so walks have to share it. */
export async function findActivation(
  query: Query,
  { box }: Pick<InstanceKey, 'box'>,
  { user, stage }: Enrolment,
  now: string,
): Promise<Activation | null> {
  const { rows } = await sql<{ activation: string }>`select activation from twofactor_enrolments
    where "user" = ${user} and stage = ${stage} and expires > ${now}`.execute(query);
  return rows[0] ? JSON.parse(box.open(rows[0].activation, sealedFor({ user, stage }))) : null;
}

export async function saveActivation(
  tx: Query,
  { box }: Pick<InstanceKey, 'box'>,
  { user, stage }: Enrolment,
  activation: Activation,
  now: string,
): Promise<void> {
  await sql`insert into twofactor_enrolments ("user", stage, activation, expires)
    values (${user}, ${stage}, ${box.seal(JSON.stringify(activation), sealedFor({ user, stage }))}, ${addMilliseconds(now, lifetimeMs)})
    on conflict ("user", stage) do update set activation = excluded.activation, expires = excluded.expires`.execute(tx);
}

export async function dropActivation(tx: Query, { user, stage }: Enrolment): Promise<void> {
  await sql`delete from twofactor_enrolments where "user" = ${user} and stage = ${stage}`.execute(tx);
}
