import { isJsonObject } from '../lib/json.ts';
import type { Query } from '../platform/db/database.ts';
import type { Jobs } from '../platform/jobs/job.ts';
import type { Call, NewEvent } from '../resource/call.ts';

/** Events that are recorded when sessions end, or may have ended; by model for actions about objects. */
const ending: Readonly<Record<string, readonly string[] | 'always'>> = {
  logout: 'always',
  password_set: 'always',
  model_updated: ['user'],
  user_write: ['user'],
  model_deleted: ['user', 'authenticatedsession'],
};

function mayEndSession({ action, context }: NewEvent): boolean {
  const models = Object.hasOwn(ending, action) ? ending[action] : undefined;
  if (models === undefined || models === 'always') return models !== undefined;
  // As `modelFacts` writes it, where there is one.
  const { model_name } = (context.model ?? {}) as { readonly model_name?: string };
  return models.includes(model_name ?? '') && !leavesUserActive(action, context.diff);
}

/** Among changes of a user with known members, only deactivation ends sessions. */
const leavesUserActive = (action: string, diff: unknown): boolean =>
  action === 'model_updated' && isJsonObject(diff) && !Object.hasOwn(diff, 'is_active');

/**
 * Queues the job that finds ended sessions, immediately for an event that ends some. Applications are notified later of
 * sessions that expire, when the job runs by itself.
 */
export const queueWhenSessionsEnd =
  (jobs: () => Jobs, kind: string, hasLogins: (query: Query) => Promise<boolean>) =>
  async (tx: Query, _call: Call, event: NewEvent): Promise<void> => {
    if (mayEndSession(event) && (await hasLogins(tx))) await jobs().enqueue(tx, { kind, key: kind });
  };
