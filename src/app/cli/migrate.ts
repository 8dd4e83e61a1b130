import { migrate } from '../../platform/db/migrate.ts';
import { migrations } from '../../platform/db/migrations/all.ts';
import { openDatabase } from '../open-database.ts';
import type { Command } from './command.ts';

export const migrateDatabase: Command = {
  name: 'migrate',
  summary: 'Bring the database schema up to date (serve does it too, at its start).',
  options: {},
  async run({ config }) {
    const { db, close } = openDatabase(config);
    try {
      const ran = await migrate(db, migrations);
      process.stdout.write(ran.length === 0 ? 'The schema is up to date.\n' : `Done: ${ran.join(', ')}\n`);
      return 0;
    } finally {
      await close();
    }
  },
};
