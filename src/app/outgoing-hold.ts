import { sql } from 'kysely';
import type { Query } from '../platform/db/database.ts';
import type { Jobs } from '../platform/jobs/job.ts';
import { defineEndpoint, type Endpoint } from '../resource/endpoint.ts';

/**
 * Since when a restored database is held back from other systems: it may be a copy, whose syncs would undo what the
 * original has done since. Null: it is not.
 */
export async function findOutgoingHold(query: Query): Promise<string | null> {
  const { rows } = await sql<{ since: string | null }>`select outgoing_held_since as since from install`.execute(query);
  return rows[0]?.since ?? null;
}

export async function holdOutgoing(tx: Query, now: string): Promise<void> {
  await sql`update install set outgoing_held_since = ${now}`.execute(tx);
}

/** Lets outgoing jobs run: this server is the one that other systems belong to. */
export function releaseEndpoint(jobs: () => Jobs): Endpoint {
  return defineEndpoint({
    id: 'admin_outgoing_release_create',
    method: 'POST',
    path: '/admin/outgoing/release/',
    summary: 'Send mails, webhooks, sign-outs and syncs that a restore has held back',
    access: 'superuser',
    answer: { status: 204 },
    async run({ call, tx }) {
      const since = await findOutgoingHold(tx);
      await sql`update install set outgoing_held_since = null`.execute(tx);
      await call.world.record(tx, call, {
        action: 'model_updated',
        app: 'svc_tenants',
        context: {
          model: { app: 'svc_tenants', model_name: 'tenant', pk: 1, name: 'Settings' },
          diff: { outgoing_held_since: { previous_value: since, new_value: null } },
        },
      });
      await jobs().wakeAfterCommit(tx);
      return undefined;
    },
  });
}
