import { sql } from 'kysely';
import { message } from '../../lib/texts/message.ts';
import { createRateLimit } from '../../platform/limits/rate-limit.ts';
import type { Call } from '../../resource/call.ts';
import type { Walk } from './walk.ts';

export interface FaultEvents {
  /** Records an event that a stage failed, and why. */
  record(call: Call, walk: Walk, error: unknown): Promise<void>;
}

const maxMessageLength = 500;

/** Deduplicates: anonymous callers who repeat a fault must not flood the event log. */
export function createFaultEvents(): FaultEvents {
  const byStage = createRateLimit({ max: 3, windowMs: 10 * 60_000 });
  return {
    async record(call, { flow, state }, error) {
      const planned = state.stages[state.at];
      if (byStage.waitAfter(`${flow.pk} ${planned?.stage}`) > 0) return;
      const reason = (error instanceof Error ? error.message : String(error)).slice(0, maxMessageLength);
      await call.db.write(async (tx) => {
        const { rows } = await sql<{ name: string }>`select name from stages
          where pk = ${planned?.stage ?? null}`.execute(tx);
        const stage = rows[0]?.name ?? '';
        await call.world.record(tx, call, {
          action: 'system_exception',
          app: 'svc_flows',
          context: {
            message: message('The stage {stage} of the flow {flow} failed: {reason}', {
              stage,
              flow: flow.slug,
              reason,
            }),
            flow: { app: 'svc_flows', model_name: 'flow', pk: flow.pk.replaceAll('-', ''), name: flow.name },
            stage: { pk: planned?.stage.replaceAll('-', '') ?? '', name: stage, model_name: planned?.kind ?? '' },
          },
        });
      });
    },
  };
}
