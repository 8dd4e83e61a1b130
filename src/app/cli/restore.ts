import { createReadStream } from 'node:fs';
import { lchown, lstat, readdir, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { sql } from 'kysely';
import { systemClock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config.ts';
import type { Database, Query } from '../../platform/db/database.ts';
import { tablesInOrder } from '../../platform/db/introspect.ts';
import { DatabaseIsNewer, migrate, readSchemaState } from '../../platform/db/migrate.ts';
import { migrations } from '../../platform/db/migrations/all.ts';
import { readKeyFile, restoreKeyFile } from '../../platform/keys.ts';
import { checkInstanceKey, findInstall } from '../install.ts';
import { databaseName, openDatabase } from '../open-database.ts';
import { holdOutgoing } from '../outgoing-hold.ts';
import { leftOut } from './backup-format.ts';
import { type BackupFile, openBackup } from './backup-reader.ts';
import { type Command, CommandError } from './command.ts';
import { createProgress, type Progress } from './progress.ts';
import { restoreRows } from './restore-rows.ts';

export const restore: Command = {
  name: 'restore',
  summary: 'Fill an empty database from a backup.',
  details: `All or nothing: when anything is wrong with the file, the database stays empty. Stop the server first. The instance key
comes out of the backup too, unless there is one here already. The restored server sends no mails, webhooks, sign-outs and syncs
until an administrator says on the start page that it replaces the original, or --resume-outgoing says so here.`,
  options: {
    from: { value: 'file', required: true, help: 'a file that gatehouse backup wrote. With - from standard input' },
    'resume-outgoing': { help: 'the restored server replaces the original: mails, webhooks and syncs go on at once' },
  },
  async run({ config, options }) {
    const { bytes, size } = await openInput(String(options.from));
    const progress = createProgress();
    const backup = await openBackup(bytes);
    const { db, close } = openDatabase(config);
    try {
      await makeSchema(db, backup.header.migrations);
      const rows = await insertRows(db, backup, config, size, progress);
      await migrate(db, migrations);
      if (!options['resume-outgoing']) await db.write((tx) => holdOutgoing(tx, systemClock.now()));
      await db.analyze?.();
      progress.finish(`${rows} rows of ${backup.header.created} restored into ${databaseName(config)}`);
      return 0;
    } finally {
      await close();
      await changeOwner(config.dataDir);
    }
  },
};

/** Standard input does not say how long it is. */
async function openInput(from: string) {
  if (from === '-') {
    if (process.stdin.isTTY) throw new CommandError('There is no backup on standard input: redirect a file into it.');
    return { bytes: process.stdin, size: null };
  }
  const file = resolve(from);
  const facts = await stat(file).catch(() => null);
  if (!facts?.isFile()) throw new CommandError(`There is no file ${file}.`);
  return { bytes: createReadStream(file), size: facts.size };
}

/** Files that root has created in the folder of a service user would keep the service from starting. */
async function changeOwner(folder: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const owner = await stat(folder).catch(() => null);
  if (owner === null || owner.uid === 0) return;
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const { uid } = await lstat(path);
    if (uid === 0) await lchown(path, owner.uid, owner.gid);
  }
}

/** Creates the schema of the backup; later migrations then run on its rows. */
async function makeSchema(db: Database, steps: readonly string[]): Promise<void> {
  const { done, unknown } = await readSchemaState(db, migrations);
  if (unknown.length > 0) throw new DatabaseIsNewer(unknown);
  const later = done.filter((step) => !steps.includes(step));
  if (later.length > 0) {
    throw new CommandError(
      `The database has a newer schema than the backup (${later.join(', ')}); restore into a database without tables.`,
    );
  }
  await migrate(
    db,
    migrations.filter(({ name }) => steps.includes(name)),
  );
}

async function insertRows(
  db: Database,
  backup: BackupFile,
  config: Config,
  size: number | null,
  progress: Progress,
): Promise<number> {
  const tables = (await tablesInOrder(db)).filter(({ name }) => !leftOut.has(name));
  let madeKeyFile = false;
  try {
    return await db.write(
      async (tx) => {
        await checkEmpty(
          tx,
          tables.map(({ name }) => name),
        );
        const rows = await restoreRows(db, tx, tables, backup.lines, (count) =>
          progress.show(`${count} rows${size === null ? '' : ` (${Math.floor((100 * backup.bytesRead()) / size)} %)`}`),
        );
        madeKeyFile = await restoreKey(tx, backup, config);
        return rows;
      },
      { isLong: true, isRepeatable: false },
    );
  } catch (error) {
    if (madeKeyFile) await rm(join(config.dataDir, 'secret.key'), { force: true });
    throw error;
  }
}

async function checkEmpty(tx: Query, tables: readonly string[]): Promise<void> {
  for (const table of tables) {
    const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(tx);
    if (rows.length > 0)
      throw new CommandError(`The database is not empty (${table}); restore only fills an empty one.`);
  }
}

/**
 * Without the right key the secrets could not be decrypted, so this fails early. Returns whether it created the key
 * file.
 */
async function restoreKey(tx: Query, { header }: BackupFile, config: Config): Promise<boolean> {
  const { instanceKey } = header;
  const lacksKey = config.secretKey === null && (await readKeyFile(config.dataDir)) === null;
  const brings = lacksKey && instanceKey !== null;
  if (brings) await restoreKeyFile(config.dataDir, instanceKey);
  const install = await findInstall(tx);
  const fault = install && (await checkInstanceKey(install, config));
  if (!fault) return brings;
  if (brings) await rm(join(config.dataDir, 'secret.key'), { force: true });
  throw new CommandError(`Nothing was restored: ${fault}.`);
}
