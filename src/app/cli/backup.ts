import { createWriteStream } from 'node:fs';
import { link, rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pendingMigrations } from '../../platform/db/migrate.ts';
import { migrations } from '../../platform/db/migrations/all.ts';
import { readKeyFile } from '../../platform/keys.ts';
import { openDatabase } from '../open-database.ts';
import { backupLines } from './backup-format.ts';
import { type Command, CommandError, createProgress } from './command.ts';

export const backup: Command = {
  name: 'backup',
  summary: 'Write everything into one file, as it stands at one moment. The server may go on running.',
  details: `The file can be restored into SQLite or PostgreSQL, whichever it came from. It holds the secrets of the installation,
and the instance key too unless that comes from GATEHOUSE_SECRET_KEY or --without-key is given: keep it as you keep passwords.`,
  options: {
    to: { value: 'file', required: true, help: 'where to write it (for example gatehouse.backup); must not exist' },
    'without-key': { help: 'leave the instance key out; sealed secrets then need it from elsewhere' },
  },
  async run({ config, options }) {
    const file = resolve(options.to as string);
    const { db, close } = openDatabase(config, { shared: true });
    const progress = createProgress();
    const draft = `${file}.part`;
    try {
      const pending = await pendingMigrations(db, migrations);
      if (pending.length > 0)
        throw new CommandError('The database is empty or of another version; run gatehouse migrate first.');
      const instanceKey =
        options['without-key'] || config.secretKey !== null ? null : await readKeyFile(config.dataDir);
      let rows = 0;
      const lines = backupLines(db, { instanceKey, migrations: migrations.map(({ name }) => name) }, (table) => {
        rows += 1;
        progress.show(`${rows} rows (${table})`);
      });
      // Written beside its place and moved there whole: a broken backup never looks like one.
      await pipeline(
        Readable.from(lines),
        createGzip(),
        createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true }),
      );
      await moveIntoPlace(draft, file);
      progress.show(
        `${rows} rows written to ${file}${instanceKey === null ? ' (without the instance key)' : ''}`,
        true,
      );
      return 0;
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    } finally {
      await close();
    }
  },
};

/** Never over another file. */
async function moveIntoPlace(draft: string, file: string): Promise<void> {
  try {
    await link(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw new CommandError(`${file} exists already.`);
    return rename(draft, file);
  }
  await rm(draft);
}
