import { sql } from 'kysely';
import { pendingUserMembers, pendingUserSchemas } from '../../../flow/executor/pending-user.ts';
import {
  ask,
  defineStageKind,
  deny,
  type Move,
  next,
  rememberedText,
  type StageKind,
  type StageScreen,
  type Step,
  stay,
} from '../../../flow/executor/stage-kind.ts';
import type { Row, RowAlias } from '../../../resource/fields/field.ts';
import type { RowOf } from '../../../resource/resource.ts';
import { loadSources } from '../../../source/load-source.ts';
import { needsOfSources } from '../../../source/page-needs-of-sources.ts';
import type { SourceRow } from '../../../source/source.family.ts';
import type { SourceKind, SourceProof } from '../../../source/source-kind.ts';
import { errorText, expiryOf, identifySourceUser } from './identify-user.ts';
import { sendToSource, type VisitNeeds } from './send-to-source.ts';
import { sourceStage } from './source-stage.resource.ts';

const closed = 'Sign-in through this source is not available at the moment.';

type Answered = Extract<SourceProof, { by: 'answer' }>;

/** A kind of source that supports authentication within a flow. */
type InteractiveSourceKind = SourceKind & Required<Pick<SourceKind, 'screen' | 'proof'>>;

const canBeAsked = (kind: SourceKind): kind is InteractiveSourceKind =>
  kind.screen !== undefined && kind.proof !== undefined;

interface Dependencies extends VisitNeeds {
  readonly sourceKinds: readonly SourceKind[];
}

/**
 * Authenticates a person at a source. If the flow already has a user, it must be the same person; otherwise the user
 * linked to the account becomes the flow's user. No links or users are created here: the source's own flows do that.
 */
export function sourceStageKind(needs: Dependencies): StageKind {
  const kinds = needs.sourceKinds.filter(canBeAsked);
  const [screen = noScreen, ...otherScreens] = kinds.flatMap(screensOf);
  return defineStageKind({
    resource: sourceStage(kinds.map(({ resource }) => resource.model)),
    ...screen,
    allowsImpersonation: true,
    otherScreens,
    roles: () => ['identifies', 'proves'],
    async show(step) {
      const found = await findSource(kinds, step);
      if (!found) return deny(closed);
      const { kind, source } = found;
      if (kind.proof.by === 'visit') return sendToSource(needs, step, { kind, source, proof: kind.proof });
      rememberedText(step, 'until', () => expiryOf(step));
      const challenge = { ...(await pendingUserMembers(step)), ...kind.screen.challenge(source) };
      return ask(challenge, kind.screen.component);
    },
    async verifyRegistration(step, answer) {
      const found = await findSource(kinds, step);
      if (found?.kind.proof.by !== 'answer') return deny(closed);
      if (rememberedText(step, 'until', () => expiryOf(step)) <= step.call.now) {
        step.memory.until = expiryOf(step);
        return stay({ non_field_errors: ['That took too long. Please try again.'] });
      }
      try {
        return await verifyAnswer(needs, step, found.kind.proof, found.source, answer);
      } catch (error) {
        return stay({ non_field_errors: [errorText(error)] });
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

/** Redirecting sources have no screen. */
const screensOf = ({ screen, proof }: InteractiveSourceKind): StageScreen[] =>
  proof.by === 'visit'
    ? []
    : [
        {
          component: screen.component,
          challenge: { ...pendingUserSchemas, ...screen.members },
          answer: proof.answer,
        },
      ];

async function verifyAnswer(
  needs: Dependencies,
  step: Step,
  proof: Answered,
  source: SourceRow,
  answer: Row,
): Promise<Move> {
  const external = await proof.arrive(source, answer, step.engine.registry, step.call);
  const refusal = await identifySourceUser(needs, step, external);
  return refusal === null ? next() : stay({ non_field_errors: [refusal] });
}

/** The stage's source, if it is enabled. */
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
