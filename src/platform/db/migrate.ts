import { sql } from 'kysely';
import type { Database, Query } from './database.ts';
import type { Dialect } from './dialect.ts';

/** One step of the schema's history, for both databases. Never changed once released. */
export interface Migration {
  readonly name: string;
  statements(dialect: Dialect): string[];
}

/** Brings the schema up to date: each step in a transaction of its own, under a lock. Returns the names of the steps it ran. */
export async function migrate(db: Database, migrations: readonly Migration[]): Promise<string[]> {
  await prepare(db);
  const ran: string[] = [];
  for (const migration of migrations) {
    if (await runOnce(db, migration)) ran.push(migration.name);
  }
  return ran;
}

/** The steps that have not been run yet. */
export async function pendingMigrations(db: Database, migrations: readonly Migration[]): Promise<string[]> {
  const done = await doneMigrations(db.read).catch(() => new Set<string>());
  return migrations.map(({ name }) => name).filter((name) => !done.has(name));
}

async function prepare(db: Database): Promise<void> {
  await db.write(async (tx) => {
    await db.dialect.exclusive('migrations')?.execute(tx);
    await sql`create table if not exists migrations (name text primary key, applied text not null)`.execute(tx);
  });
  // Without the right to create it search still works, only slower.
  if (db.dialect.name === 'postgres') {
    await sql`create extension if not exists pg_trgm`.execute(db.read).catch(() => undefined);
  }
}

async function runOnce(db: Database, migration: Migration): Promise<boolean> {
  return db.write(async (tx) => {
    await db.dialect.exclusive('migrations')?.execute(tx);
    if ((await doneMigrations(tx)).has(migration.name)) return false;
    for (const statement of migration.statements(db.dialect)) await sql.raw(statement).execute(tx);
    const applied = new Date().toISOString();
    await sql`insert into migrations (name, applied) values (${migration.name}, ${applied})`.execute(tx);
    return true;
  });
}

async function doneMigrations(query: Query): Promise<Set<string>> {
  const { rows } = await sql<{ name: string }>`select name from migrations`.execute(query);
  return new Set(rows.map(({ name }) => name));
}
