import { sql } from 'kysely';
import { addMilliseconds } from '../../../platform/clock.ts';
import type { Query } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/statement.ts';
import { type InstanceKey, sealContext } from '../../../platform/keys.ts';
import { randomUuid } from '../../../platform/random.ts';
import type { HeaderList } from './identity.ts';

type Key = Pick<InstanceKey, 'box'>;

interface NewSession {
  readonly tokenHash: string;
  readonly provider: number;
  readonly user: number;
  readonly headers: HeaderList;
  readonly now: string;
  readonly expires: string;
}

/** A session that a browser is to take over, by a code that is good once and for this browser. */
export interface PendingSession extends NewSession {
  readonly session: string;
  /** The hash of the secret that the browser has. */
  readonly browser: string;
}

/** A session of a program, which ends with its app password, or with the source whose token it brought. */
export interface ProgramSession extends NewSession {
  readonly by: { readonly appPassword: string; readonly hash: string } | { readonly source: string };
}

const columns = sql`pk, token_hash, provider, "user", session, app_password, app_password_hash, source, browser, headers,
  created, checked, expires`;

const insert = statement<unknown[], unknown>(
  (...values) => sql`insert into proxy_sessions (${columns}) values (${sql.join(values)})
    on conflict (token_hash, provider) do update set headers = excluded.headers, pk = excluded.pk, "user" = excluded."user",
      app_password = excluded.app_password, app_password_hash = excluded.app_password_hash, source = excluded.source, created = excluded.created,
      checked = excluded.checked, expires = excluded.expires`,
);

export const storePending = (tx: Query, key: Key, pending: PendingSession): Promise<unknown> =>
  store(tx, key, pending, [pending.session, null, null, null, pending.browser]);

export const storeProgram = (tx: Query, key: Key, program: ProgramSession): Promise<unknown> =>
  store(tx, key, program, [
    null,
    ...('source' in program.by ? [null, null, program.by.source] : [program.by.appPassword, program.by.hash, null]),
    null,
  ]);

function store(tx: Query, key: Key, session: NewSession, bound: readonly (string | null)[]): Promise<unknown> {
  const { tokenHash, provider, user, headers, now, expires } = session;
  const pk = randomUuid();
  return insert(tx, pk, tokenHash, provider, user, ...bound, sealHeaders(key, pk, headers), now, now, expires);
}

const sealedFor = (pk: string) => sealContext('proxy_sessions', 'headers', pk);

/** They may hold a password for the application. */
const sealHeaders = ({ box }: Key, pk: string, headers: HeaderList) => box.seal(JSON.stringify(headers), sealedFor(pk));

export const openHeaders = ({ box }: Key, { pk, headers }: { pk: string; headers: string }): HeaderList =>
  JSON.parse(box.open(headers, sealedFor(pk)));

export interface Claim {
  readonly code: string;
  readonly provider: number;
  readonly browser: string;
  readonly token: string;
  readonly now: string;
  readonly expires: string;
}

const take = statement<unknown[], unknown>(
  (token, expires, code, provider, browser, now) => sql`update proxy_sessions set token_hash = ${token}, browser = null,
    expires = ${expires} where token_hash = ${code} and provider = ${provider} and browser = ${browser}
      and expires > ${now} returning pk`,
);

/** Lets the browser that has the code take the session over. `code` and `token` are hashes. False if it cannot. */
export async function claimSession(
  tx: Query,
  { code, provider, browser, token, now, expires }: Claim,
): Promise<boolean> {
  return (await take(tx, token, expires, code, provider, browser, now)).length > 0;
}

const update = statement<[headers: string, now: string, pk: string], unknown>(
  (headers, now, pk) => sql`update proxy_sessions set headers = ${headers}, checked = ${now} where pk = ${pk}`,
);

export async function noteChecked(tx: Query, key: Key, pk: string, headers: HeaderList, now: string): Promise<void> {
  await update(tx, sealHeaders(key, pk, headers), now, pk);
}

export const endProxySession = (tx: Query, pk: string): Promise<unknown> =>
  sql`delete from proxy_sessions where pk = ${pk}`.execute(tx);

/** As long as a browser takes from one redirect to the next. */
export const pendingUntil = (now: string): string => addMilliseconds(now, 60_000);
