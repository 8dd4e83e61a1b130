import { sql } from 'kysely';
import type { SyncRun } from '../../../../core/system/sync-task.ts';
import type { Query } from '../../../../platform/db/database.ts';
import type { Call } from '../../../../resource/call.ts';

export interface ObjectCounts {
  found: number;
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
  missing: number;
  deleted: number;
}

export interface RunCounts {
  readonly users: ObjectCounts;
  readonly groups: ObjectCounts;
  readonly memberships: { added: number; removed: number };
  /** Referrals to other servers, which were not followed. */
  referrals: number;
}

const none = (): ObjectCounts => ({
  found: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  failed: 0,
  missing: 0,
  deleted: 0,
});
export const noCounts = (): RunCounts => ({
  users: none(),
  groups: none(),
  memberships: { added: 0, removed: 0 },
  referrals: 0,
});

export type Phase = 'connect' | 'users' | 'groups' | 'memberships' | 'deletions' | 'end';

export interface RunRow extends SyncRun {
  readonly source: string;
  readonly is_dry: boolean;
  readonly phase: Phase;
  readonly counts: RunCounts;
  readonly messages: readonly string[];
}

const maxMessages = 100;
const maxMessageLength = 500;

/** Keeps the first messages of a run, each once. */
export function createNotes() {
  const messages = new Set<string>();
  return {
    add(message: string): void {
      if (messages.size < maxMessages) messages.add(message.slice(0, maxMessageLength));
    },
    all: (): string[] => [...messages],
  };
}

export type Notes = ReturnType<typeof createNotes>;

export async function loadRuns(query: Query, source: string): Promise<RunRow[]> {
  const { rows } = await sql<
    Omit<RunRow, 'counts' | 'messages' | 'is_dry'> & Record<'counts' | 'messages', unknown> & { is_dry: unknown }
  >`
    select pk, source, is_dry, state, phase, counts, messages, started, finished from ldap_runs
    where source = ${source} order by started desc, pk desc`.execute(query);
  return rows.map((row) => ({
    ...row,
    is_dry: Boolean(row.is_dry),
    counts: fromJson<RunCounts>(row.counts),
    messages: fromJson<string[]>(row.messages),
  }));
}

// JSON columns are text in SQLite.
const fromJson = <T>(value: unknown): T => (typeof value === 'string' ? JSON.parse(value) : value) as T;

export async function saveProgress(
  call: Call,
  run: string,
  phase: Phase,
  counts: RunCounts,
  notes: Notes,
): Promise<void> {
  await call.db.write(
    (tx) =>
      sql`update ldap_runs set phase = ${phase}, counts = ${JSON.stringify(counts)}, messages = ${JSON.stringify(notes.all())}
        where pk = ${run}`.execute(tx),
    { durable: false },
  );
}
