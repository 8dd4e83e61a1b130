import { sql } from 'kysely';
import type { JobServer } from '../../../core/kind/kind.ts';
import type { GuardedFetch } from '../../../platform/fetch/guarded-fetch.ts';
import type { JobKind } from '../../../platform/jobs/job.ts';
import { loadSources } from '../../../source/load-source.ts';
import { SourceRefusal } from '../../../source/source-refusal.ts';
import { discover, wellKnownOf } from './discovery.ts';
import { oauthResource } from './oauth-model.ts';
import { storeDiscovered } from './store-discovered.ts';

export const refreshJobName = 'oauth_source_refresh';
const everyMs = 3 * 60 * 60_000;

/**
 * Reads again what enabled OpenID sources publish; with a payload, of one source. What cannot be read stays as it was.
 */
export const refreshJob = (fetch: GuardedFetch, { db, engine, systemCall }: JobServer): JobKind => ({
  name: refreshJobName,
  summary: 'Read the OpenID configuration and keys of OAuth sources.',
  oneAtATime: true,
  everyMs,
  async run({ payload, signal }) {
    const resource = oauthResource(engine().registry);
    const only = sourceIn(payload);
    const sources = await loadSources(
      resource,
      (row) => sql`${row.col('enabled')} and ${only === null ? sql`1 = 1` : sql`${row.col('pk')} = ${only}`}`,
      systemCall(),
      db.read,
    );
    const failures: string[] = [];
    let count = 0;
    for (const source of sources.filter((one) => wellKnownOf(one) !== '')) {
      if (signal.aborted) break;
      try {
        const discovered = await discover(fetch, source);
        await db.write((tx) => storeDiscovered(tx, source.pk, discovered));
        count += 1;
      } catch (error) {
        if (!(error instanceof SourceRefusal)) throw error;
        failures.push(error.message);
      }
    }
    return [`${count} sources read.`, ...failures].join(' ');
  },
});

function sourceIn(payload: unknown): string | null {
  return typeof payload === 'object' && payload !== null && 'source' in payload && typeof payload.source === 'string'
    ? payload.source
    : null;
}
