import { listAmbiguousNames } from '../../core/directory/name-keys.ts';
import { type Config, describeConfig } from '../../platform/config.ts';
import type { Database } from '../../platform/db/database.ts';
import { DatabaseIsNewer, readSchemaState } from '../../platform/db/migrate.ts';
import { migrations } from '../../platform/db/migrations/all.ts';
import { findDamage } from '../../platform/db/sqlite/find-damage.ts';
import { checkInstanceKey, findInstall } from '../install.ts';
import { databaseName, NoDatabase, openDatabase } from '../open-database.ts';
import type { Command } from './command.ts';
import { errorText } from './error-text.ts';

/** The result of one check, with a message unless it passed. */
interface Finding {
  readonly is: 'ok' | 'none yet' | 'fault';
  readonly why?: string;
}

const ok: Finding = { is: 'ok' };
const fault = (why: string): Finding => ({ is: 'fault', why });

export const check: Command = {
  name: 'check',
  summary: 'Look at settings, database and key, and say what is wrong. Changes nothing.',
  details: 'Exits with 1 when something is wrong. The server may be running.',
  options: {},
  async run({ config }) {
    for (const { name, value, source } of describeConfig(config))
      process.stdout.write(`  ${name.padEnd(32)}${value}  (${source})\n`);
    process.stdout.write('\n');
    const findings = await runChecks(config);
    for (const { is, what, why } of findings) {
      process.stdout.write(`${(is === 'fault' ? 'FAULT' : 'ok').padEnd(7)}${what}${why ? `: ${why}` : ''}\n`);
    }
    process.stdout.write(`\nThe database is ${databaseName(config)}.\n`);
    return findings.some(({ is }) => is === 'fault') ? 1 : 0;
  },
};

type Look = (db: Database, config: Config) => Promise<Finding>;

const looks: readonly (readonly [string, Look])[] = [
  ['the schema is up to date', schema],
  ['the stored rows are whole', integrity],
  ['the instance key opens the stored secrets', key],
  ['names and addresses tell users apart', names],
];

async function runChecks(config: Config): Promise<(Finding & { readonly what: string })[]> {
  const what = 'the database can be reached';
  try {
    const { db, close } = openDatabase(config, { beside: true });
    try {
      const findings = [{ what, ...(await reach(db)) }];
      for (const [name, find] of looks) {
        const finding = await find(db, config).catch((error: unknown) => fault(errorText(error)));
        findings.push({ what: name, ...finding });
      }
      return findings;
    } finally {
      await close();
    }
  } catch (error) {
    // Without a database nothing else can be checked.
    const is = error instanceof NoDatabase ? 'none yet' : 'fault';
    return [{ what: is === 'fault' ? what : 'the database', is, why: errorText(error) }];
  }
}

async function reach(db: Database): Promise<Finding> {
  await db.ping();
  return ok;
}

async function schema(db: Database): Promise<Finding> {
  const { done, pending, unknown } = await readSchemaState(db, migrations);
  if (unknown.length > 0) return fault(new DatabaseIsNewer(unknown).message);
  if (done.length === 0) return { is: 'none yet', why: 'the first start makes it' };
  return pending.length === 0 ? ok : fault(`not yet run: ${pending.join(', ')}; gatehouse migrate runs them`);
}

async function integrity(db: Database): Promise<Finding> {
  const damage = await findDamage(db);
  return damage.length > 0 ? fault(damage.join('; ')) : ok;
}

/** A warning only: these users can sign in by their exact names. */
async function names(db: Database): Promise<Finding> {
  const { pending } = await readSchemaState(db, migrations);
  if (pending.length > 0) return { is: 'none yet', why: 'the migrations compute what to compare' };
  const twins = await listAmbiguousNames(db.read);
  if (twins.length === 0) return ok;
  return {
    is: 'ok',
    why: `except these, who sign in by their exact names only; rename one of each: ${twins.join('; ')}`,
  };
}

async function key(db: Database, config: Config): Promise<Finding> {
  const { done } = await readSchemaState(db, migrations);
  const install = done.length > 0 ? await findInstall(db.read) : undefined;
  if (!install) return { is: 'none yet', why: 'the first start makes it' };
  const why = await checkInstanceKey(install, config);
  return why === null ? ok : fault(why);
}
