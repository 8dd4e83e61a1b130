import { sql } from 'kysely';
import { type Dn, isAtOrBelow, parseDn } from '../../../../lib/ldap/dn.ts';
import type { Database, Query } from '../../../../platform/db/database.ts';
import { queryCache } from '../../../../platform/db/query-cache.ts';
import { isServedSql } from '../../../../provider/outpost/served-here.ts';
import { servedApplicationSql } from '../../../../provider/password-server/served-application.ts';

/** A provider as the server needs it. */
export interface ServedProvider {
  readonly pk: number;
  readonly base_dn: string;
  readonly base: Dn;
  readonly flow: string | null;
  readonly bind_mode: string;
  readonly mfa_support: boolean;
  readonly accept_app_passwords: boolean;
  readonly uid_source: string;
  readonly uid_start_number: number;
  readonly gid_start_number: number;
  readonly published: readonly string[];
}

type Row = Omit<ServedProvider, 'base' | 'published'> & { readonly published_attributes: string };

/** Those that an outpost serves, or this server where it is null: an application uses them. */
export const servedProviders = (db: Database, outpost: string | null): Promise<readonly ServedProvider[]> =>
  cache.read(db, outpost ?? '', (query) => load(query, outpost));

const cache = queryCache<readonly ServedProvider[]>('LDAP providers');

async function load(query: Query, outpost: string | null): Promise<readonly ServedProvider[]> {
  const { rows } = await sql<Row>`select l.pk, l.base_dn, f.slug as flow, l.bind_mode, l.mfa_support,
    l.accept_app_passwords, l.uid_source, l.uid_start_number, l.gid_start_number, l.published_attributes
    from provider_ldap l join providers p on p.pk = l.pk left join flows f on f.pk = p.authorization_flow
    where ${isServedSql(sql`l.pk`, outpost)} and ${servedApplicationSql(sql`l.pk`)} is not null order by l.pk`.execute(
    query,
  );
  return rows.map(({ published_attributes, mfa_support, accept_app_passwords, ...row }) => ({
    ...row,
    mfa_support: Boolean(mfa_support),
    accept_app_passwords: Boolean(accept_app_passwords),
    base: parseDn(row.base_dn) ?? [],
    published: JSON.parse(published_attributes),
  }));
}

/** The provider with the longest base that a name is in. */
export function providerOf(providers: readonly ServedProvider[], dn: Dn): ServedProvider | null {
  const within = providers.filter(({ base }) => isAtOrBelow(dn, base));
  return within.reduce<ServedProvider | null>(
    (best, one) => (best && best.base.length >= one.base.length ? best : one),
    null,
  );
}
