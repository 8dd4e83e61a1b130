import { randomBytes } from 'node:crypto';
import { createWriteStream, existsSync } from 'node:fs';
import { link, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip, type Gzip } from 'node:zlib';
import { sql } from 'kysely';
import { errorFacts, messageOf } from '../../lib/error-facts.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config.ts';
import type { Database } from '../../platform/db/database.ts';
import { DatabaseIsNewer, readSchemaState } from '../../platform/db/migrate.ts';
import { migrations } from '../../platform/db/migrations/all.ts';
import { readKeyFile } from '../../platform/keys.ts';
import { databaseName, openDatabase } from '../open-database.ts';
import { backupLines } from './backup-format.ts';
import { type Command, CommandError } from './command.ts';
import { errorText } from './error-text.ts';
import { createProgress } from './progress.ts';

export const backup: Command = {
  name: 'backup',
  summary: 'Write everything into one file, as it stands at one moment. The server may go on running.',
  details: `The file can be restored into SQLite or PostgreSQL, whichever it came from. It holds the secrets of the installation,
and the instance key too unless that comes from GATEHOUSE_SECRET_KEY or --without-key is given: keep it as you keep passwords.`,
  options: {
    to: {
      value: 'file',
      required: true,
      help: 'where to write it (for example gatehouse.backup); must not exist. With - to standard output',
    },
    'without-key': { help: 'leave the instance key out; a restore then needs it from elsewhere' },
  },
  async run({ config, options }) {
    const isPiped = options.to === '-';
    const file = resolve(String(options.to));
    await (isPiped ? checkPiped() : checkTarget(file));
    const { db, close } = openDatabase(config, { beside: true });
    try {
      const instanceKey =
        options['without-key'] || config.secretKey !== null ? null : await readKeyFile(config.dataDir);
      await writeBackup(db, isPiped ? null : file, instanceKey, config);
      // The backup is whole even if this fails, as on a standby.
      await recordBackup(db).catch((error) =>
        process.stderr.write(`The time of this backup could not be stored: ${errorText(error)}\n`),
      );
      return 0;
    } finally {
      await close();
    }
  },
};

/** For the start page of administrators. */
export async function recordBackup(db: Database): Promise<void> {
  await db.write((tx) => sql`update install set last_backup = ${systemClock.now()}`.execute(tx));
}

async function checkPiped(): Promise<void> {
  if (process.stdout.isTTY) throw new CommandError('A backup is no text for a terminal: redirect it into a file.');
}

async function checkTarget(file: string): Promise<void> {
  const folder = await stat(dirname(file)).catch(() => null);
  if (!folder?.isDirectory()) throw new CommandError(`There is no folder ${dirname(file)}.`);
  if (existsSync(file)) throw exists(file);
}

const exists = (file: string) => new CommandError(`${file} exists already; a backup never replaces a file.`);

/** Without a file, writes to standard output; the exit code says whether the backup is complete. */
async function writeBackup(
  db: Database,
  file: string | null,
  instanceKey: string | null,
  config: Config,
): Promise<void> {
  const { done, unknown } = await readSchemaState(db, migrations);
  if (unknown.length > 0) throw new DatabaseIsNewer(unknown);
  if (done.length === 0) throw new CommandError('The database is empty: there is nothing to write yet.');
  const progress = createProgress();
  let written = 0;
  const lines = backupLines(db, { instanceKey, migrations: done }, ({ rows, total, table }) => {
    written = rows;
    progress.show(`${rows} of ${total} rows (${table})`);
  });
  const compressed = [Readable.from(lines), createGzip()] as const;
  await (file === null ? writeOut(compressed) : writeFile(compressed, file));
  const keyWord =
    config.secretKey === null ? ' (without the instance key)' : ' (the key stays in GATEHOUSE_SECRET_KEY)';
  progress.finish(
    `${written} rows of ${databaseName(config)} written to ${file ?? 'standard output'}${instanceKey === null ? keyWord : ''}`,
  );
}

type Compressed = readonly [Readable, Gzip];

async function writeOut([lines, gzip]: Compressed): Promise<void> {
  const { stdout } = process;
  let refused: unknown = null;
  // It is never destroyed, so it does not keep its error.
  stdout.once('error', (error) => {
    refused = error;
  });
  try {
    await pipeline(lines, gzip, stdout);
  } catch (error) {
    if (error === refused) throw new CommandError(`Standard output cannot be written: ${messageOf(error)}`);
    throw error;
  }
}

/** Written to a temporary file and renamed: a partial backup never looks complete. */
async function writeFile([lines, gzip]: Compressed, file: string): Promise<void> {
  const draft = `${file}.${randomBytes(4).toString('hex')}.part`;
  const target = createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true });
  try {
    await pipeline(lines, gzip, target);
    await moveIntoPlace(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    if (error === target.errored) throw new CommandError(`${file} cannot be written: ${messageOf(error)}`);
    throw error;
  }
}

/** Never over another file. */
async function moveIntoPlace(draft: string, file: string): Promise<void> {
  try {
    await link(draft, file);
    await rm(draft);
  } catch (error) {
    if (errorFacts(error).code === 'EEXIST') throw exists(file);
    // A file system without hard links.
    await rename(draft, file);
  }
  const folder = await open(dirname(file), 'r');
  await folder.sync().finally(() => folder.close());
}
