import { sql } from 'kysely';
import { findBrandOfHost } from '../../../../core/brand/brand-of-host.ts';
import { addMilliseconds } from '../../../../platform/clock.ts';
import type { Query } from '../../../../platform/db/database.ts';
import type { InstanceKey } from '../../../../platform/keys.ts';

// A brand may have a flow that people go through before they can let devices in. Who has is noted for their session.

const lifetimeMs = 10 * 60_000;
const markOf = ({ hash }: InstanceKey, session: string) => hash(`device page ${session}`);

/** The slug of the flow; null if the brand has none: then any signed-in user may open the page. */
export async function deviceFlowOf(host: string, query: Query): Promise<string | null> {
  const brand = await findBrandOfHost(host, query);
  const { rows } = await sql<{ slug: string }>`select f.slug from brands b join flows f on f.pk = b.flow_device_code
    where b.pk = ${brand?.pk ?? null}`.execute(query);
  return rows[0]?.slug ?? null;
}

export async function openDevicePage(tx: Query, key: InstanceKey, session: string, now: string): Promise<void> {
  await sql`insert into oauth2_seen (pk, expires) values (${markOf(key, session)}, ${addMilliseconds(now, lifetimeMs)})
    on conflict (pk) do update set expires = excluded.expires`.execute(tx);
}

export async function isDevicePageOpen(query: Query, key: InstanceKey, session: string, now: string): Promise<boolean> {
  const { rows } = await sql`select 1 from oauth2_seen where pk = ${markOf(key, session)}
    and expires > ${now}`.execute(query);
  return rows.length > 0;
}
