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

/** As it is sealed: with the date of the password that the user had. The previous release leaves it out. */
interface Pending extends Activation {
  readonly password_set?: string;
}

/**
 * Finds a pending activation. The service creates only one account per name, so walks have to share it. One from before
 * the last change of the password may be on the phone of an attacker who knew the old one.
 */
export async function findActivation(
  query: Query,
  { box }: Pick<InstanceKey, 'box'>,
  { user, stage }: Enrolment,
  now: string,
): Promise<Activation | null> {
  const { rows } = await sql<{ activation: string; password_change_date: string }>`select e.activation,
      u.password_change_date from twofactor_enrolments e join users u on u.pk = e."user"
    where e."user" = ${user} and e.stage = ${stage} and e.expires > ${now}`.execute(query);
  const [row] = rows;
  if (!row) return null;
  const { password_set = row.password_change_date, ...activation }: Pending = JSON.parse(
    box.open(row.activation, sealedFor({ user, stage })),
  );
  return password_set === row.password_change_date ? activation : null;
}

export async function saveActivation(
  tx: Query,
  { box }: Pick<InstanceKey, 'box'>,
  { user, stage }: Enrolment,
  pending: Required<Pending>,
  now: string,
): Promise<void> {
  await sql`insert into twofactor_enrolments ("user", stage, activation, expires)
    values (${user}, ${stage}, ${box.seal(JSON.stringify(pending), sealedFor({ user, stage }))}, ${addMilliseconds(now, lifetimeMs)})
    on conflict ("user", stage) do update set activation = excluded.activation, expires = excluded.expires`.execute(tx);
}

export async function dropActivation(tx: Query, { user, stage }: Enrolment): Promise<void> {
  await sql`delete from twofactor_enrolments where "user" = ${user} and stage = ${stage}`.execute(tx);
}
