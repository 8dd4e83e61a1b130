import { setImmediate } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import { chunksOf } from '../../../../lib/chunks.ts';
import { messageOf } from '../../../../lib/error-facts.ts';
import { Invalid, Problem } from '../../../../lib/problem.ts';
import { type Query, Rollback } from '../../../../platform/db/database.ts';
import type { Sandbox } from '../../../../platform/sandbox/sandbox.ts';
import type { Call } from '../../../../resource/call.ts';
import type { Engine } from '../../../../resource/resource.ts';
import { type DirectoryEntry, valuesOf } from '../client/values.ts';
import type { LdapSource } from '../ldap-model.ts';
import type { Mapping } from './map-entries.ts';
import type { Notes, RunCounts, RunRow } from './run-state.ts';

/** What all parts of a run work with. */
export interface SyncRun {
  readonly run: RunRow;
  readonly source: LdapSource;
  readonly engine: Engine;
  readonly sandbox: Sandbox;
  readonly mappings: { readonly user: readonly Mapping[]; readonly group: readonly Mapping[] };
  readonly counts: RunCounts;
  readonly notes: Notes;
  systemCall(): Call;
}

/** A transaction of a run; a dry run rolls it back, so that what it counts is what would happen. */
export async function inRunWrite<T>({ run }: SyncRun, call: Call, work: (tx: Query) => Promise<T>): Promise<T> {
  if (!run.is_dry) return call.db.write(work);
  try {
    return await call.db.write(async (tx) => {
      throw new Rollback(await work(tx));
    });
  } catch (error) {
    // Thrown above, with the result of the work.
    if (error instanceof Rollback) return error.value as T;
    throw error;
  }
}

/** SQLite does nothing else meanwhile. */
const perTransaction = 25;

/**
 * Writes several objects in few transactions, and if one of them is refused, each in its own. Returns why some were
 * refused.
 */
export async function writeEach<T>(
  sync: SyncRun,
  objects: readonly T[],
  write: (object: T, tx: Query, call: Call) => Promise<() => void>,
): Promise<Map<T, string>> {
  const refused = new Map<T, string>();
  for (const some of chunksOf(objects, perTransaction)) {
    await writeSome(sync, some, write, refused);
    await setImmediate();
  }
  return refused;
}

async function writeSome<T>(
  sync: SyncRun,
  objects: readonly T[],
  write: (object: T, tx: Query, call: Call) => Promise<() => void>,
  refused: Map<T, string>,
): Promise<void> {
  const all = async (some: readonly T[]) => {
    const call = sync.systemCall();
    const done = await inRunWrite(sync, call, async (tx) => {
      const counted: (() => void)[] = [];
      for (const object of some) counted.push(await write(object, tx, call));
      return counted;
    });
    for (const count of done) count();
  };
  try {
    await all(objects);
    return;
  } catch (error) {
    if (refusalOf(error, sync) === null) throw error;
  }
  for (const object of objects) {
    try {
      await all([object]);
    } catch (error) {
      const reason = refusalOf(error, sync);
      if (reason === null) throw error;
      refused.set(object, reason);
    }
  }
}

/** A refusal of one object. */
export class Refused extends Error {}

function refusalOf(error: unknown, sync: SyncRun): string | null {
  if (error instanceof Refused || error instanceof Problem) return messageOf(error);
  if (error instanceof Invalid) return wordsIn(error.complaints).join(' ');
  const violation = sync.systemCall().db.dialect.violation(error);
  return violation ? 'Another object has just taken this name, or a value is too long.' : null;
}

function wordsIn(complaints: unknown): string[] {
  if (typeof complaints === 'string') return [complaints];
  return typeof complaints === 'object' && complaints !== null ? Object.values(complaints).flatMap(wordsIn) : [];
}

const maxIdentifierLength = 255;

export interface Identified {
  readonly entry: DirectoryEntry;
  readonly identifier: string;
}

/** Entries with what identifies them. Entries without it are reported and left out. */
export function identify({ source, notes }: SyncRun, entries: readonly DirectoryEntry[]) {
  const identified: Identified[] = [];
  let failed = 0;
  for (const entry of entries) {
    const [identifier = ''] = valuesOf(entry, source.object_uniqueness_field);
    if (identifier !== '' && [...identifier].length <= maxIdentifierLength && !identifier.includes('\0'))
      identified.push({ entry, identifier });
    else {
      failed += 1;
      notes.add(`Uniqueness field not found/not set in attributes: '${entry.dn}'`);
    }
  }
  return { identified, failed };
}

/** Notes which linked entries this run has seen; for a dry run too, which lists missing entries. */
export async function markSeen({ run, systemCall }: SyncRun, entries: readonly number[]): Promise<void> {
  if (entries.length === 0) return;
  const keys: RawBuilder<unknown> = sql.join(entries);
  await systemCall().db.write((tx) => sql`update ldap_entries set seen = ${run.pk} where pk in (${keys})`.execute(tx), {
    durable: false,
  });
}
