import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { messageOf } from '../../lib/error-facts.ts';
import { Problem } from '../../lib/problem.ts';
import type { Config } from '../../platform/config.ts';
import type { Database } from '../../platform/db/database.ts';
import { readSchemaState } from '../../platform/db/migrate.ts';
import { migrations } from '../../platform/db/migrations/all.ts';
import { readKeyFile } from '../../platform/keys.ts';
import type { Log } from '../../platform/log.ts';
import { inPerson } from '../../resource/access/credentials.ts';
import type { Call } from '../../resource/call.ts';
import { ReplyWith } from '../../resource/document/operations.ts';
import { defineEndpoint, type Endpoint } from '../../resource/endpoint.ts';
import { isDryRun } from '../../resource/write/write.ts';
import { recordBackup } from '../cli/backup.ts';
import { backupLines } from '../cli/backup-format.ts';

interface Dependencies {
  readonly db: Database;
  readonly log: Log;
  readonly config: Pick<Config, 'dataDir' | 'secretKey'>;
}

/** The snapshot is held until the client has read everything. */
const maxMs = 60 * 60_000;
const mediaType = 'application/gzip';

/**
 * Streams what `gatehouse backup` writes. It contains all secrets, and the instance key that they are sealed with, so a
 * token is not enough.
 */
export function backupEndpoint({ db, log, config }: Dependencies): Endpoint {
  let isRunning = false;

  async function startBackup(call: Call): Promise<Readable> {
    const instanceKey = config.secretKey === null ? await readKeyFile(config.dataDir) : null;
    const { done } = await readSchemaState(db, migrations);
    await db.write((tx) =>
      call.world.record(tx, call, {
        action: 'secret_view',
        app: 'svc_core',
        context: { backup: { has_instance_key: instanceKey !== null } },
      }),
    );
    const lines = Readable.from(backupLines(db, { instanceKey, migrations: done }, () => {}));
    const file = createGzip();
    const timer = setTimeout(() => file.destroy(new Error('the backup took too long to download')), maxMs);
    file
      .once('end', () => void recordBackup(db).catch((err) => log.warn({ err }, 'the time of a backup was not stored')))
      .once('close', () => {
        clearTimeout(timer);
        isRunning = false;
      });
    pipeline(lines, file).catch((error) => log.warn({ reason: messageOf(error) }, 'a backup was not downloaded'));
    return file;
  }

  return defineEndpoint({
    id: 'admin_backup_create',
    method: 'POST',
    path: '/admin/backup/',
    summary: 'Download a backup of everything, with all secrets',
    access: 'superuser',
    credentials: inPerson,
    recentAuthentication: true,
    answer: { status: 200, file: mediaType, fileSchema: { type: 'string', format: 'binary' } },
    opensTransactions: true,
    async run({ call }) {
      if (isRunning) throw new Problem('unavailable', 'A backup is being downloaded already. Try again afterwards.');
      const headers = {
        'content-type': mediaType,
        'content-disposition': `attachment; filename="gatehouse-${call.now.slice(0, 10)}.backup"`,
      };
      if (isDryRun(call)) return new ReplyWith(200, '', headers);
      isRunning = true;
      try {
        return new ReplyWith(200, await startBackup(call), headers);
      } catch (error) {
        isRunning = false;
        throw error;
      }
    },
  });
}
