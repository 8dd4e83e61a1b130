import type pg from 'pg';
import { isUnreachable } from '../unreachable.ts';

/** Which of the histories of a database a server goes on with. Each promotion of a standby begins a new timeline. */
export interface History {
  readonly system: string;
  readonly timeline: number;
}

/** Not `pg_control_checkpoint()`, which shows the timeline only after the first checkpoint. */
const query = `select (select system_identifier::text from pg_control_system()) as system,
  pg_walfile_name(pg_current_wal_insert_lsn()) as file`;

/** Null where the service does not disclose it. */
export async function historyOf(client: pg.Client): Promise<History | null> {
  try {
    const { rows } = await client.query<{ system: string; file: string }>(query);
    const [found] = rows;
    return found ? { system: found.system, timeline: Number.parseInt(found.file.slice(0, 8), 16) } : null;
  } catch (error) {
    if (isUnreachable(error)) throw error;
    return null;
  }
}

/** Histories of different databases cannot be compared. */
export const isOlder = (one: History | null, other: History | null): boolean =>
  one !== null && other !== null && one.system === other.system && one.timeline < other.timeline;
