import { sql } from 'kysely';
import type { Database, Query } from '../../platform/db/database.ts';
import { queryCache } from '../../platform/db/query-cache.ts';
import { statement } from '../../platform/db/statement.ts';
import { isStorable } from '../../resource/fields/well-formed.ts';
import type { FlowCandidate } from '../applicable-flow.ts';
import { backgroundOf } from '../background.ts';
import type { ExecutorFlow, PlannedStage } from './flow-state.ts';

export type StoredFlow = ExecutorFlow & FlowCandidate;

/** A stage as bound to a flow, before planning. */
export interface BoundStage {
  readonly stage: PlannedStage;
  readonly evaluateAtPlan: boolean;
}

/** Reads flows and their stage bindings through query caches. */
export interface FlowReads {
  /** Null if missing or disabled. */
  read(db: Database, slug: string): Promise<StoredFlow | null>;
  /** In order. */
  stagesOf(db: Database, flow: string): Promise<readonly BoundStage[]>;
  /** The number of cached flows. */
  count(db: Database): number;
  clear(db: Database): void;
}

const slugs = queryCache<string | null>('flow slugs');
const flows = queryCache<StoredFlow | null>('flows');
const stages = queryCache<readonly BoundStage[]>('flow stages');

export function createFlowReads(publicHost: string): FlowReads {
  return {
    read: (db, slug) => flows.read(db, slug, (query) => loadFlow(query, slug, publicHost)),
    stagesOf: (db, flow) => stages.read(db, flow, (query) => loadStages(query, flow)),
    count: stages.count,
    clear(db) {
      flows.clear(db);
      stages.clear(db);
    },
  };
}

const slugOf = statement<[pk: string], { slug: string }>(
  (pk) => sql`select slug from flows where pk = ${pk} and enabled`,
);

/** The slug of a flow that an object refers to; null if missing or disabled. */
export const flowSlug = (db: Database, pk: string): Promise<string | null> =>
  slugs.read(db, pk, async (query) => (await slugOf(query, pk))[0]?.slug ?? null);

async function loadFlow(query: Query, slug: string, publicHost: string): Promise<StoredFlow | null> {
  if (!isStorable(slug)) return null;
  const { rows } = await sql<StoredFlow>`select pk, slug, name, title, designation, background, layout, denied_action,
    authentication, policy_engine_mode, policybindingmodel_ptr_id from flows where slug = ${slug} and enabled`.execute(
    query,
  );
  const [row] = rows;
  return row ? { ...row, background: backgroundOf(row.background, publicHost) } : null;
}

interface BindingRow {
  readonly binding: string;
  readonly target: string;
  readonly mode: PlannedStage['mode'];
  readonly evaluate_on_plan: boolean;
  readonly re_evaluate_policies: boolean;
  readonly stage: string;
  readonly kind: string;
  readonly onInvalid: PlannedStage['onInvalid'];
}

async function loadStages(query: Query, flow: string): Promise<BoundStage[]> {
  const { rows } =
    await sql<BindingRow>`select b.pk as binding, b.policybindingmodel_ptr_id as target, b.policy_engine_mode as mode,
    b.evaluate_on_plan, b.re_evaluate_policies, b.stage, s.kind, b.invalid_response_action as "onInvalid"
    from flow_stage_bindings b join stages s on s.pk = b.stage where b.target = ${flow} order by b."order", b.pk`.execute(
      query,
    );
  return rows.map(({ evaluate_on_plan, re_evaluate_policies, ...stage }) => ({
    stage: { ...stage, evaluateAtRun: Boolean(re_evaluate_policies) },
    evaluateAtPlan: Boolean(evaluate_on_plan),
  }));
}
