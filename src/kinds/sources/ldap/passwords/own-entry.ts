import { sql } from 'kysely';
import type { Cidrs } from '../../../../lib/cidr.ts';
import type { Query } from '../../../../platform/db/database.ts';
import type { Call } from '../../../../resource/call.ts';
import type { Resource } from '../../../../resource/resource.ts';
import { loadSources } from '../../../../source/load-source.ts';
import { type AwayServers, type Directory, openDirectory } from '../client/directory.ts';
import { DirectoryError } from '../client/directory-error.ts';
import { directorySettings, searchBase } from '../client/settings.ts';
import type { LdapSource } from '../ldap-model.ts';

export interface PasswordNeeds {
  readonly allow: Cidrs;
  readonly away: AwayServers;
  readonly resource: Resource<LdapSource>;
}

/** People wait for these. */
const limits = { connectMs: 5_000, operationMs: 5_000 };
/** For all servers and operations together. */
const totalMs = 15_000;

export interface OwnSource {
  readonly source: LdapSource;
  readonly identifier: string;
}

/** The enabled sources that a user comes from. Others are never asked: their passwords are not the user's. */
export async function ownSources({ resource }: PasswordNeeds, user: number, call: Call): Promise<OwnSource[]> {
  const { rows } = await sql<{ source: string; identifier: string }>`select c.source, c.identifier
    from user_source_connections c join source_ldap l on l.pk = c.source where c."user" = ${user}`.execute(
    call.db.read,
  );
  if (rows.length === 0) return [];
  const keys = rows.map(({ source }) => source);
  const sources = await loadSources(
    resource,
    (row) => sql`${row.col('enabled')} and ${row.col('pk')} in (${sql.join(keys)})`,
    call,
    call.db.read,
  );
  return sources.map((source) => ({
    source,
    identifier: rows.find((row) => row.source === source.pk)?.identifier ?? '',
  }));
}

/**
 * Opens the directory and finds the entry of the user by what identifies it: its name may have changed since the last
 * sync, or be another user's now. Null if there is none.
 */
export async function withOwnEntry<T>(
  { allow, away }: PasswordNeeds,
  { source, identifier }: OwnSource,
  call: Call,
  work: (directory: Directory, dn: string | null) => Promise<T>,
): Promise<T> {
  let directory: Directory;
  try {
    const settings = await directorySettings(source, call.db.read, call.world);
    directory = await openDirectory(settings, { allow, away, ...limits, signal: AbortSignal.timeout(totalMs) });
  } catch (error) {
    if (!(error instanceof DirectoryError)) throw error;
    // That of the source, not of the user.
    throw new DirectoryError('unreachable', error.message, null, { cause: error });
  }
  try {
    const found = await directory.find(searchBase(source, 'user'), source.object_uniqueness_field, identifier);
    return await work(directory, found.length === 1 ? (found[0]?.dn ?? null) : null);
  } finally {
    directory.close();
  }
}

export async function isAnySourceInUse(query: Query): Promise<boolean> {
  const { rows } = await sql`select 1 from source_ldap l join sources s on s.pk = l.pk where s.enabled limit 1`.execute(
    query,
  );
  return rows.length > 0;
}
