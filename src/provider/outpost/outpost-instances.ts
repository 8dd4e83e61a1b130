import { sql } from 'kysely';
import { asText, memberOf } from '../../lib/json.ts';
import { Invalid } from '../../lib/problem.ts';
import { addMilliseconds } from '../../platform/clock.ts';
import type { Query } from '../../platform/db/database.ts';
import { randomUuid } from '../../platform/random.ts';

/** A process that runs an outpost, as it reports itself. */
export interface OutpostInstance {
  readonly uid: string;
  readonly version: string;
  readonly hostname: string;
  readonly openssl_version: string;
}

export const reportEveryMs = 10_000;
/** Two reports may be lost. */
const shownForMs = 3.5 * reportEveryMs;
const maxInstances = 100;

/** Throws `Invalid` for a malformed report. */
export function readReport(body: unknown): OutpostInstance {
  const read = (name: string, pattern: RegExp) => {
    const value = memberOf(body, name);
    if (typeof value !== 'string' || !pattern.test(value)) throw Invalid.field(name, 'Not a valid value.');
    return asText(value);
  };
  return {
    uid: read('uid', /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
    version: read('version', /^[\w.+-]{1,50}$/),
    hostname: read('hostname', /^[\w.-]{0,253}$/),
    openssl_version: read('openssl_version', /^[\w .+-]{0,100}$/),
  };
}

export async function storeReport(tx: Query, outpost: string, instance: OutpostInstance, now: string): Promise<void> {
  const { uid, version, hostname, openssl_version } = instance;
  await sql`insert into outpost_instances (pk, outpost, uid, version, hostname, openssl_version, last_seen, expires)
    select ${randomUuid()}, o.pk, ${uid}, ${version}, ${hostname}, ${openssl_version}, ${now},
      ${addMilliseconds(now, shownForMs)}
    from outposts o where o.pk = ${outpost}
      and (select count(*) from outpost_instances i where i.outpost = o.pk and i.uid <> ${uid}) < ${maxInstances}
    on conflict (outpost, uid) do update set version = excluded.version, hostname = excluded.hostname,
      openssl_version = excluded.openssl_version, last_seen = excluded.last_seen, expires = excluded.expires`.execute(
    tx,
  );
}

/** The processes of an outpost that have reported lately. */
export async function listInstances(query: Query, outpost: string, now: string) {
  const { rows } = await sql<OutpostInstance & { last_seen: string }>`select uid, version, hostname, openssl_version,
    last_seen from outpost_instances where outpost = ${outpost} and expires > ${now} order by hostname, uid`.execute(
    query,
  );
  return rows;
}
