import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { errorFacts } from '../../lib/error-facts.ts';
import { migrations } from '../../platform/db/migrations/all.ts';
import type { BackupHeader, LastLine, TableLine } from './backup-format.ts';
import { CommandError } from './command.ts';

export interface BackupFile {
  readonly header: BackupHeader;
  /** The lines after the header, without the last one. Throws if the file is damaged. */
  readonly lines: AsyncGenerator<TableLine | readonly unknown[]>;
  /** How many bytes of the file have been read so far. */
  bytesRead(): number;
}

export const damaged = (why = '') =>
  new CommandError(`The file is damaged, or no backup of Gatehouse${why && ` (${why})`}; nothing was restored.`);

/** The bytes of a backup. */
type Bytes = Readable & { readonly bytesRead: number };

export async function openBackup(bytes: Bytes): Promise<BackupFile> {
  const values = valuesOf(bytes);
  const first = await values.next();
  return { header: checkHeader(first.value), lines: checkedLines(values), bytesRead: () => bytes.bytesRead };
}

async function* valuesOf(bytes: Readable): AsyncGenerator<unknown> {
  const unzipped = createGunzip();
  bytes.on('error', (error) => unzipped.destroy(error)).pipe(unzipped);
  unzipped.setEncoding('utf8');
  let rest = '';
  try {
    for await (const chunk of unzipped) {
      const texts = `${rest}${chunk}`.split('\n');
      rest = texts.pop() ?? '';
      for (const text of texts) yield JSON.parse(text);
    }
  } catch (error) {
    const { code } = errorFacts(error);
    if (error instanceof SyntaxError || String(code).startsWith('Z_')) throw damaged();
    throw error;
  } finally {
    bytes.destroy();
  }
  if (rest !== '') throw damaged();
}

function checkHeader(value: unknown): BackupHeader {
  // Any JSON may come: the members that matter are checked one by one.
  const header = value as Partial<BackupHeader> | null | undefined;
  if (header?.format !== 'gatehouse-backup') throw damaged();
  if (header.version !== 1) throw new CommandError('The backup comes from a newer Gatehouse; update this one first.');
  if (!Array.isArray(header.migrations)) throw damaged();
  const known = new Set(migrations.map(({ name }) => name));
  const unknown = header.migrations.filter((name) => !known.has(name));
  if (unknown.length > 0)
    throw new CommandError(
      `The backup comes from a newer Gatehouse (${unknown.join(', ')}); update this one first. Nothing was restored.`,
    );
  // Other members are as the version, checked above, writes them.
  return header as BackupHeader;
}

async function* checkedLines(values: AsyncGenerator<unknown>): BackupFile['lines'] {
  let lines = 0;
  let last: LastLine | null = null;
  for await (const value of values) {
    if (last || typeof value !== 'object' || value === null) throw damaged();
    if ('end' in value) {
      // Its count is compared below.
      last = value as LastLine;
      continue;
    }
    lines += 1;
    // Its reader checks each value against the table's columns.
    yield value as TableLine | readonly unknown[];
  }
  if (last?.lines !== lines) throw damaged('part of it is missing');
}
