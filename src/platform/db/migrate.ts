import { sql } from 'kysely';
import type { Database, Query } from './database.ts';
import type { Dialect } from './dialect.ts';
import { hasTable } from './introspect.ts';

/** A step of the schema's history, for both databases. Never changed once released. */
export interface Migration {
  readonly name: string;
  statements(dialect: Dialect): string[];
}

/** The database has migrations that are unknown to this version. */
export class DatabaseIsNewer extends Error {
  constructor(steps: readonly string[]) {
    super(`the database was made by a newer Gatehouse (${steps.join(', ')}); run that version, or one after it`);
  }
}

export interface SchemaState {
  readonly done: readonly string[];
  readonly pending: readonly string[];
  /** Applied by a newer version than this one. */
  readonly unknown: readonly string[];
}

/** Migrates the schema under a lock, each step in its own transaction. Returns the names of the steps it ran. */
export async function migrate(
  db: Database,
  migrations: readonly Migration[],
  onStep: (name: string) => void = () => {},
): Promise<string[]> {
  await prepare(db);
  const { pending, unknown } = await readSchemaState(db, migrations);
  if (unknown.length > 0) throw new DatabaseIsNewer(unknown);
  const ran: string[] = [];
  for (const migration of migrations.filter(({ name }) => pending.includes(name))) {
    if (!(await runOnce(db, migration))) continue;
    ran.push(migration.name);
    onStep(migration.name);
  }
  return ran;
}

/** Which steps a database has. Changes nothing. */
export async function readSchemaState(db: Database, migrations: readonly Migration[]): Promise<SchemaState> {
  const done = (await hasTable(db, 'migrations')) ? await doneMigrations(db.read) : new Set<string>();
  const names = new Set(migrations.map(({ name }) => name));
  return {
    done: [...done],
    pending: [...names.difference(done)],
    unknown: [...done.difference(names)],
  };
}

/** Also because this instance may wait for another one that migrates. */
const long = { isLong: true } as const;

async function lock(db: Database, tx: Query): Promise<void> {
  const statement = db.dialect.exclusive('migrations');
  if (statement) await statement.execute(tx);
}

async function prepare(db: Database): Promise<void> {
  await db.write(async (tx) => {
    await lock(db, tx);
    await sql`create table if not exists migrations (name text primary key, applied text not null)`.execute(tx);
  }, long);
  if (db.dialect.name === 'postgres') await addTrigrams(db);
}

/** Under the lock too: an instance that lost the race would continue without its indexes. */
async function addTrigrams(db: Database): Promise<void> {
  const adding = db.write(async (tx) => {
    await lock(db, tx);
    await sql`create extension if not exists pg_trgm`.execute(tx);
  }, long);
  await adding.catch(() => {
    // Without permission to create it, search still works, only slower.
  });
}

async function runOnce(db: Database, migration: Migration): Promise<boolean> {
  return db.write(async (tx) => {
    await lock(db, tx);
    if ((await doneMigrations(tx)).has(migration.name)) return false;
    // A table with pending deferred triggers cannot be altered.
    if (db.dialect.name === 'postgres') await sql`set constraints all immediate`.execute(tx);
    for (const statement of migration.statements(db.dialect)) await sql.raw(statement).execute(tx);
    const applied = new Date().toISOString();
    await sql`insert into migrations (name, applied) values (${migration.name}, ${applied})`.execute(tx);
    return true;
  }, long);
}

async function doneMigrations(query: Query): Promise<Set<string>> {
  const { rows } = await sql<{ name: string }>`select name from migrations`.execute(query);
  return new Set(rows.map(({ name }) => name));
}
