import { sql } from 'kysely';
import type { ServedHost } from '../../../core/outpost/platform.ts';
import type { Query } from '../../../platform/db/database.ts';
import { isServedBySql } from '../../../provider/outpost/served-here.ts';
import { normalHost, parseExternalHost } from './hosts.ts';
import { outpostPath, type ProxyMode } from './proxy-model.ts';

/** Where browsers reach an outpost: on all paths of a host that it proxies, else on its own path. */
export async function servedHosts(query: Query, outpost: string): Promise<readonly ServedHost[]> {
  const { rows } = await sql<{ external_host: string; mode: ProxyMode }>`select t.external_host, t.mode
    from provider_proxy t where ${isServedBySql(sql`t.pk`, sql`${outpost}`)} order by t.host`.execute(query);
  return rows.flatMap(({ external_host, mode }) => {
    const url = parseExternalHost(external_host);
    if (!url) return [];
    const path = mode === 'proxy' ? '/' : outpostPath;
    return [{ host: normalHost(url.hostname), isSecure: url.protocol === 'https:', path }];
  });
}
