import { sql } from 'kysely';
import { addMilliseconds } from '../../../platform/clock.ts';
import type { Query } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/statement.ts';
import type { Geo } from '../../../platform/geo/geo.ts';
import { randomUuid } from '../../../platform/random.ts';
import type { SignInAttempt } from '../../../policy/kind.ts';

const retentionMs = 86_400_000;

/** Updates the score after a sign-in attempt. An expired score starts over. */
export async function changeScore(tx: Query, geo: Geo, { identifier, ip, by, now }: SignInAttempt): Promise<void> {
  const place = JSON.stringify(geo.locate(ip) ?? {});
  const network = JSON.stringify(geo.network(ip) ?? {});
  const expires = addMilliseconds(now, retentionMs);
  await keepScore(tx, randomUuid(), identifier, ip, place, network, by, now, expires);
}

const keepScore = statement<
  [
    pk: string,
    identifier: string,
    ip: string,
    place: string,
    network: string,
    by: number,
    now: string,
    expires: string,
  ],
  unknown
>(
  (pk, identifier, ip, place, network, by, now, expires) => sql`insert into policy_reputation_scores as s
    (pk, identifier, ip, ip_geo_data, ip_asn_data, score, updated, expires)
    values (${pk}, ${identifier}, ${ip}, ${place}, ${network}, ${by}, ${now}, ${expires})
    on conflict (identifier, ip) do update set
      score = case when s.expires > ${now} then s.score + ${by} else ${by} end,
      ip_geo_data = ${place}, ip_asn_data = ${network}, updated = ${now}, expires = ${expires}`,
);
