import { sql } from 'kysely';
import { pendingUserMembers, pendingUserSchemas } from '../../../flow/executor/pending-user.ts';
import {
  ask,
  defineStageKind,
  deny,
  keptText,
  type Move,
  next,
  type StageKind,
  type StageScreen,
  type Step,
  stay,
} from '../../../flow/executor/stage-kind.ts';
import { parseDuration } from '../../../lib/duration.ts';
import { Invalid, Problem } from '../../../lib/problem.ts';
import { addMilliseconds } from '../../../platform/clock.ts';
import type { RowAlias } from '../../../resource/fields/field.ts';
import type { RowOf } from '../../../resource/resource.ts';
import { loadSources } from '../../../source/load-source.ts';
import { needsOfSources } from '../../../source/page-needs-of-sources.ts';
import { type Arrival, recognise, type SignInNeeds } from '../../../source/sign-in.ts';
import type { SourceRow } from '../../../source/source.family.ts';
import type { SourceKind } from '../../../source/source-kind.ts';
import { sourceStage } from './source-stage.resource.ts';

const closed = 'This source lets nobody in at the moment.';

/** A kind of source that can be asked within a flow. */
type InteractiveSourceKind = SourceKind & Required<Pick<SourceKind, 'screen' | 'proof'>>;

const canBeAsked = (kind: SourceKind): kind is InteractiveSourceKind =>
  kind.screen !== undefined && kind.proof !== undefined;

/**
 * Asks a source who somebody is. Where the flow is about somebody already, it must be the same person; else it is about
 * whoever is linked to that account from then on. Nobody is linked or made here: that is for the flows of the source.
 */
export function sourceStageKind(needs: SignInNeeds & { readonly sourceKinds: readonly SourceKind[] }): StageKind {
  const kinds = needs.sourceKinds.filter(canBeAsked);
  const [screen = noScreen, ...otherScreens] = kinds.map(screenOf);
  return defineStageKind({
    resource: sourceStage(kinds.map(({ resource }) => resource.model)),
    ...screen,
    otherScreens,
    async show(step) {
      const found = await findSource(kinds, step);
      if (!found) return deny(closed);
      const { kind, source } = found;
      keptText(step, 'until', () => untilWhen(step));
      const challenge = { ...(await pendingUserMembers(step)), ...kind.screen.challenge(source) };
      return ask(challenge, kind.screen.component);
    },
    async judge(step, answer) {
      const found = await findSource(kinds, step);
      if (!found) return deny(closed);
      if (keptText(step, 'until', () => untilWhen(step)) <= step.call.now) {
        step.memory.until = untilWhen(step);
        return stay({ non_field_errors: ['That took too long. Please try again.'] });
      }
      try {
        const arrival = await found.kind.proof.arrive(found.source, answer, step.engine.registry, step.call);
        return await arrived(needs, step, arrival);
      } catch (error) {
        return stay({ non_field_errors: [wordsOf(error)] });
      }
    },
    async pageNeeds(stages, query) {
      const { rows } = await sql<{ pk: string; kind: string }>`select distinct s.pk, s.kind from sources s
        join stage_source t on t.source = s.pk where t.pk in (${sql.join(stages)})`.execute(query);
      return needsOfSources(kinds, rows, query);
    },
  });
}

const noScreen: StageScreen = { component: 'xak-stage-source', challenge: {} };

const screenOf = ({ screen, proof }: InteractiveSourceKind): StageScreen => ({
  component: screen.component,
  challenge: { ...pendingUserSchemas, ...screen.members },
  answer: proof.answer,
});

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

/** The source that the stage names, if it is enabled. */
async function findSource(
  kinds: readonly InteractiveSourceKind[],
  { settings, call }: Step<RowOf<ReturnType<typeof sourceStage>>>,
): Promise<{ readonly kind: InteractiveSourceKind; readonly source: SourceRow } | null> {
  for (const kind of kinds) {
    const isIt = (row: RowAlias) => sql`${row.col('pk')} = ${settings.source}`;
    const [source] = await loadSources<SourceRow>(kind.resource, isIt, call, call.db.read);
    if (source) return source.enabled ? { kind, source } : null;
  }
  return null;
}

/** Nobody signs in elsewhere in less. */
const shortestMs = 60_000;

const untilWhen = ({ settings, call }: Step<RowOf<ReturnType<typeof sourceStage>>>): string =>
  addMilliseconds(call.now, Math.max(shortestMs, parseDuration(settings.resume_timeout) ?? 0));

function wordsOf(error: unknown): string {
  if (error instanceof Problem) return error.message;
  if (error instanceof Invalid)
    return Object.values(error.complaints)
      .flatMap((texts) => Object.values(texts))
      .flat()
      .join(' ');
  throw error;
}
