import { sql } from 'kysely';
import { pendingUserMembers, pendingUserSchemas } from '../../../flow/executor/pending-user.ts';
import { ask, deny, type Move, next, type StageKind, type Step, stay } from '../../../flow/executor/stage-kind.ts';
import { parseDuration } from '../../../lib/duration.ts';
import { Invalid, Problem } from '../../../lib/problem.ts';
import { addMilliseconds } from '../../../platform/clock.ts';
import type { SourceDoor } from '../../../source/door.ts';
import { loadSources } from '../../../source/load-source.ts';
import { type Arrival, recognise, type SignInNeeds } from '../../../source/sign-in.ts';
import type { SourceRow } from '../../../source/source.family.ts';
import { sourceStage } from './source-stage.resource.ts';

const closed = 'This source lets nobody in at the moment.';

/**
 * Asks a source who somebody is. Where the flow is about somebody already, it must be the same person; else it is about
 * whoever is linked to that account from then on. Nobody is linked or made here: that is for the flows of the source.
 */
export function askingSource(needs: SignInNeeds & { readonly door: SourceDoor }): StageKind {
  const { door } = needs;
  return {
    resource: sourceStage(door.model),
    component: door.component,
    challenge: { ...pendingUserSchemas, ...door.members },
    answer: door.answer,
    async show(step) {
      const source = await findSource(door, step);
      if (!source) return deny(closed);
      step.memory.until ??= untilWhen(step);
      return ask({ ...(await pendingUserMembers(step)), ...door.challenge(source) });
    },
    async judge(step, answer) {
      const source = await findSource(door, step);
      if (!source) return deny(closed);
      if ((step.memory.until as string) <= step.call.now) {
        step.memory.until = untilWhen(step);
        return stay({ non_field_errors: ['That took too long. Please try again.'] });
      }
      try {
        const arrival = await door.arrive(source, answer, step.engine.registry, step.call);
        return await arrived(needs, step, arrival);
      } catch (error) {
        return stay({ non_field_errors: [wordsOf(error)] });
      }
    },
  };
}

async function arrived(needs: SignInNeeds, step: Step, arrival: Arrival): Promise<Move> {
  const { context } = step;
  const { source, sourceResource } = arrival;
  const { user } = await recognise(needs, arrival, step.call);
  if (!user) return stay({ non_field_errors: [`Nobody here is linked to this account of ${source.name}.`] });
  if (context.pending_user !== null && context.pending_user !== user.pk)
    return stay({ non_field_errors: [`This account of ${source.name} is linked to another user.`] });
  const { pk, slug, name } = source;
  context.pending_user = user.pk;
  context.is_sso = true;
  context.source = { pk, slug, name, model: sourceResource.model };
  context.auth_method ??= 'source';
  return next();
}

async function findSource({ model }: SourceDoor, { settings, engine, call }: Step): Promise<SourceRow | null> {
  const resource = engine.registry.require(model);
  const isIt = (row: ReturnType<typeof resource.row>) => sql`${row.col('pk')} = ${settings.source}`;
  const [source] = await loadSources(resource, isIt, call, call.db.read);
  return source?.enabled ? source : null;
}

/** Nobody signs in elsewhere in less. */
const shortestMs = 60_000;

const untilWhen = ({ settings, call }: Step): string =>
  addMilliseconds(call.now, Math.max(shortestMs, parseDuration(settings.resume_timeout as string) ?? 0));

function wordsOf(error: unknown): string {
  if (error instanceof Problem) return error.message;
  if (error instanceof Invalid)
    return Object.values(error.complaints)
      .flatMap((texts) => Object.values(texts))
      .flat()
      .join(' ');
  throw error;
}
