import { type RawBuilder, sql } from 'kysely';
import { statement } from '../../../platform/db/statement.ts';
import type { OutpostFacts } from '../../../provider/outpost/authenticate-outpost.ts';
import { isServedBySql, isServedHereSql } from '../../../provider/outpost/served-here.ts';
import type { Call } from '../../../resource/call.ts';
import { normalHost } from './hosts.ts';
import type { ProxyMode } from './proxy-model.ts';

/** What a check needs to know of the provider of a host. */
export interface HostProvider {
  readonly pk: number;
  readonly mode: ProxyMode;
  readonly host: string;
  readonly external_host: string;
  readonly cookie_domain: string;
  readonly client_id: string;
  /** Only with the mode `proxy`. */
  readonly internal_host: string;
  readonly internal_host_ssl_validation: boolean;
  readonly skip_path_regex: string;
  readonly intercept_header_auth: boolean;
  /** Null if no application uses it: access is denied then. */
  readonly slug: string | null;
  readonly enabled: boolean;
}

/** A session of the provider that the request has the token for. */
export interface HostSession {
  readonly pk: string;
  readonly token_hash: string;
  readonly user: number;
  /** The session of this server that it ends with; null for programs. */
  readonly main: string | null;
  readonly headers: string;
  readonly checked: string;
  readonly expires: string;
  /** As JSON: what of the client's address must not change. */
  readonly binding: string | null;
}

export interface GuardedHost {
  readonly provider: HostProvider;
  readonly sessions: readonly HostSession[];
}

type Row = HostProvider & { [Name in keyof HostSession]: HostSession[Name] | null } & {
  readonly session_pk: string | null;
};

/** How many tokens one request is looked up by. */
export const maxTokens = 4;
const maxDomains = 8;

type Value = RawBuilder<unknown>;

const hostSql = (now: Value, host: Value, values: readonly Value[], isServed: Value) =>
  sql<Row>`select pp.pk, pp.mode, pp.host, pp.external_host, pp.cookie_domain, pp.client_id,
      pp.internal_host, pp.internal_host_ssl_validation, pp.skip_path_regex, pp.intercept_header_auth, a.slug, a.enabled, s.pk as session_pk, s.token_hash, s."user",
      s.session as main, s.headers, s.checked, s.expires, m.binding
    from provider_proxy pp
      left join applications a on a.provider = pp.pk
      left join (proxy_sessions s join users u on u.pk = s."user" and u.is_active
          left join authenticated_sessions m on m.pk = s.session
          left join tokens t on t.pk = s.app_password)
        on s.provider = pp.pk and s.browser is null and s.expires > ${now}
          and s.token_hash in (${sql.join(values.slice(0, maxTokens))})
          and (m.expires > ${now} or s.source is not null or t.key_hash = s.app_password_hash
            and (t.application is null or t.application = a.pk) and (not t.expiring or t.expires > ${now}))
    where (pp.host = ${host}
        or pp.mode = 'forward_domain' and pp.cookie_domain in (${sql.join(values.slice(maxTokens))}))
      and ${isServed}`;

const selectHere = statement<string[], Row>((now, host, ...values) =>
  hostSql(now, host, values, isServedHereSql(sql`pp.pk`)),
);
const selectFor = statement<string[], Row>((outpost, now, host, ...values) =>
  hostSql(now, host, values, isServedBySql(sql`pp.pk`, outpost)),
);

/**
 * The provider that protects a host, and its sessions with these tokens: one statement, since every request to every
 * protected application makes it. The provider of the host itself wins, then that of the longest domain.
 */
export async function findGuardedHost(
  { outpost }: { readonly outpost: OutpostFacts | null },
  { db, now }: Pick<Call, 'db' | 'now'>,
  host: string,
  tokenHashes: readonly string[],
): Promise<GuardedHost | null> {
  const values = [now, host, ...padded(tokenHashes, maxTokens), ...padded(domainsOf(host), maxDomains)];
  const rows = await (outpost === null ? selectHere(db.read, ...values) : selectFor(db.read, outpost.pk, ...values));
  const [best] = rows.toSorted(
    (one, other) =>
      Number(other.host === host) - Number(one.host === host) || other.cookie_domain.length - one.cookie_domain.length,
  );
  if (!best) return null;
  return { provider: providerOf(best), sessions: rows.filter(({ pk }) => pk === best.pk).flatMap(sessionOf) };
}

/** The domains that a host is within, itself included, the longest first. */
function domainsOf(host: string): string[] {
  const labels = host.replace(/:\d+$/, '').split('.');
  const domains = labels.map((_, at) => labels.slice(at).join('.'));
  return domains.slice(0, -1).slice(-maxDomains);
}

const padded = (values: readonly string[], length: number): string[] =>
  Array.from({ length }, (_, at) => values[at] ?? '-');

const providerOf = (row: Row): HostProvider => ({
  ...row,
  internal_host_ssl_validation: Boolean(row.internal_host_ssl_validation),
  intercept_header_auth: Boolean(row.intercept_header_auth),
  enabled: Boolean(row.enabled),
});

function sessionOf({ session_pk, token_hash, user, main, headers, checked, expires, binding }: Row): HostSession[] {
  if (session_pk === null || token_hash === null || user === null) return [];
  if (headers === null || checked === null || expires === null) return [];
  return [{ pk: session_pk, token_hash, user, main, headers, checked, expires, binding }];
}

const hostPattern = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/;

/** A host as providers store it, without the usual port of the scheme; null for what no host looks like. */
export function readHost(text: string, scheme: string): string | null {
  const host = text.toLowerCase();
  if (host.length > 260 || !hostPattern.test(host)) return null;
  return normalHost(host).replace(scheme === 'https' ? /:443$/ : /:80$/, '');
}
