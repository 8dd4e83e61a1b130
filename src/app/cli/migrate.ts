import { growingTables } from '../../core/cleanup/growing-tables.ts';
import { migrate } from '../../platform/db/migrate.ts';
import { migrations } from '../../platform/db/migrations/all.ts';
import { openDatabase } from '../open-database.ts';
import type { Command } from './command.ts';

export const migrateDatabase: Command = {
  name: 'migrate',
  summary: 'Bring the database schema up to date (serve does it too, at its start).',
  details: 'Each step happens whole or not at all. Several may run it at once on PostgreSQL: one does the work.',
  options: {},
  async run({ config }) {
    const { db, close } = openDatabase(config);
    try {
      const ran = await migrate(db, migrations, (step) => process.stdout.write(`${step} done\n`));
      if (ran.length > 0) await db.analyze?.(growingTables);
      process.stdout.write('The schema is up to date.\n');
      return 0;
    } finally {
      await close();
    }
  },
};
