import { join } from 'node:path';
import { sql } from 'kysely';
import type { Clock } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import type { Database, Query } from '../platform/db/database.ts';
import { createInstanceKey, type InstanceKey, loadInstanceKey, readKeyFile } from '../platform/keys.ts';
import { randomUuid } from '../platform/random.ts';

/** One row per database. Stable user identifiers derive from `pk`; only the right key decrypts `key_proof`. */
interface Install {
  readonly pk: string;
  readonly key_proof: string;
}

const proofContext = 'install.key_proof';

/** The identity of this installation and its key. Refuses to open with another key or without one. */
export async function openInstall(
  db: Database,
  config: Config,
  clock: Clock,
): Promise<{ readonly installId: string; readonly key: InstanceKey }> {
  const known = await findInstall(db.read);
  const fault = known && (await checkInstanceKey(known, config));
  if (fault) throw new Error(fault);
  const key = await loadInstanceKey({ configured: config.secretKey ?? undefined, dataDir: config.dataDir });
  const install = known ?? (await makeInstall(db, key, clock));
  // Another instance may have created it first, with another key.
  if (!opens(key, install)) throw new Error(anotherKey(config));
  return { installId: install.pk, key };
}

export async function findInstall(query: Query): Promise<Install | undefined> {
  return (await sql<Install>`select pk, key_proof from install`.execute(query)).rows[0];
}

/** Why the configured key does not belong to this installation; null when it does. Creates no key. */
export async function checkInstanceKey(install: Install, config: Config): Promise<string | null> {
  const secret = config.secretKey ?? (await readKeyFile(config.dataDir));
  if (secret === null) {
    return `the instance key is missing: put secret.key back into ${config.dataDir}, or set GATEHOUSE_SECRET_KEY`;
  }
  return opens(createInstanceKey(secret), install) ? null : anotherKey(config);
}

function anotherKey(config: Config): string {
  const given = config.secretKey === null ? join(config.dataDir, 'secret.key') : 'GATEHOUSE_SECRET_KEY';
  return `this database was made with another instance key than that in ${given}; give it that one`;
}

function opens(key: InstanceKey, install: Install): boolean {
  try {
    key.box.open(install.key_proof, proofContext);
    return true;
  } catch {
    // Encrypted with another key.
    return false;
  }
}

function makeInstall(db: Database, key: InstanceKey, clock: Clock): Promise<Install> {
  return db.write(async (tx) => {
    await sql`insert into install (pk, number, key_proof, created)
      values (${randomUuid()}, 1, ${key.box.seal('gatehouse', proofContext)}, ${clock.now()}) on conflict do nothing`.execute(
      tx,
    );
    const install = await findInstall(tx);
    if (!install) throw new Error('the row of this install is missing');
    return install;
  });
}
