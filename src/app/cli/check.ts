import { sql } from 'kysely';
import { type Config, describeConfig } from '../../platform/config.ts';
import type { Database } from '../../platform/db/database.ts';
import { pendingMigrations } from '../../platform/db/migrate.ts';
import { migrations } from '../../platform/db/migrations/all.ts';
import { loadInstanceKey } from '../../platform/keys.ts';
import { openDatabase } from '../open-database.ts';
import type { Command } from './command.ts';

export const check: Command = {
  name: 'check',
  summary: 'Look at settings, database and key, and say what is wrong. Changes nothing.',
  options: {},
  async run({ config }) {
    for (const { name, value, source } of describeConfig(config))
      process.stdout.write(`  ${name.padEnd(30)}${value}  (${source})\n`);
    process.stdout.write('\n');
    let faults = 0;
    for (const [what, look] of checks(config)) {
      const fault = await look().catch((error: Error) => error.message);
      if (fault !== null) faults += 1;
      process.stdout.write(`${fault === null ? 'ok    ' : 'FAULT '} ${what}${fault === null ? '' : `: ${fault}`}\n`);
    }
    return faults === 0 ? 0 : 1;
  },
};

type Look = () => Promise<string | null>;

function checks(config: Config): [string, Look][] {
  return [
    ['the database can be reached', () => withDatabase(config, reach)],
    ['the schema is up to date', () => withDatabase(config, pending)],
    ['the stored rows are whole', () => withDatabase(config, integrity)],
    ['the instance key opens the stored secrets', () => withDatabase(config, (db) => keyFits(config, db))],
  ];
}

async function withDatabase(config: Config, look: (db: Database) => Promise<string | null>): Promise<string | null> {
  const { db, close } = openDatabase(config, { shared: true });
  try {
    return await look(db);
  } finally {
    await close();
  }
}

async function reach(db: Database): Promise<string | null> {
  await db.ping();
  return null;
}

async function pending(db: Database): Promise<string | null> {
  const names = await pendingMigrations(db, migrations);
  return names.length === 0 ? null : `not yet run: ${names.join(', ')} (gatehouse migrate runs them)`;
}

async function integrity(db: Database): Promise<string | null> {
  if (db.dialect.name !== 'sqlite') return null;
  const whole = await sql<{ integrity_check: string }>`pragma integrity_check(5)`.execute(db.read);
  const broken = whole.rows.map((row) => row.integrity_check).filter((text) => text !== 'ok');
  const loose = await sql`pragma foreign_key_check`.execute(db.read);
  if (broken.length > 0) return broken.join('; ');
  return loose.rows.length === 0 ? null : `${loose.rows.length} rows name rows that are gone`;
}

async function keyFits(config: Config, db: Database): Promise<string | null> {
  const { rows } = await sql<{ key: string }>`select key from tokens where key <> '' limit 1`.execute(db.read);
  const key = await loadInstanceKey({ configured: config.secretKey ?? undefined, dataDir: config.dataDir });
  if (rows[0]) key.box.open(rows[0].key, 'tokens.key');
  return null;
}
