import { sql } from 'kysely';
import type { PolicyEngine } from '../../policy/engine.ts';
import { findObstacles } from '../../resource/access/sign-in-obstacles.ts';
import { explain } from '../../resource/access/sign-in-use.ts';
import type { Call } from '../../resource/call.ts';
import { actionOn } from '../../resource/define.ts';
import {
  arrayOf,
  booleanSchema,
  integerSchema,
  type JsonSchema,
  objectSchema,
  orNull,
  stringSchema,
  uuidSchema,
} from '../../resource/document/json-schema.ts';
import type { Engine, Registry } from '../../resource/resource.ts';
import { loadStage } from '../executor/load-stage.ts';
import type { StageKind } from '../executor/stage-kind.ts';
import { flowModel } from '../models.ts';
import { severities } from './finding.ts';
import { lintFlow } from './lint.ts';
import { type DesignFlow, type DesignGate, type DesignStep, loadGates, loadSteps } from './load-design.ts';
import type { LintedGate, LintedStep } from './reach.ts';

const hidden = 'Null for callers who may not see it.';
const modeSchema: JsonSchema = { type: 'string', enum: ['all', 'any'] };
const gateSchema = objectSchema({
  pk: uuidSchema,
  order: integerSchema,
  enabled: booleanSchema,
  negate: booleanSchema,
  policy: orNull(uuidSchema),
  group: orNull(uuidSchema),
  user: orNull(integerSchema),
  name: { ...orNull(stringSchema), description: hidden },
  type: { ...orNull(stringSchema), description: hidden },
  path: { ...orNull(stringSchema), description: `Where the API has it. ${hidden}` },
});
const stepSchema = objectSchema({
  pk: { ...uuidSchema, description: 'The key of the stage binding.' },
  target: { ...uuidSchema, description: 'What policies are bound to.' },
  order: integerSchema,
  evaluate_on_plan: booleanSchema,
  re_evaluate_policies: booleanSchema,
  policy_engine_mode: modeSchema,
  invalid_response_action: stringSchema,
  stage: { ...orNull(uuidSchema), description: hidden },
  name: { ...orNull(stringSchema), description: hidden },
  type: { ...orNull(stringSchema), description: hidden },
  path: { ...orNull(stringSchema), description: `Where the API has the stage. ${hidden}` },
  gates: arrayOf(gateSchema),
});
const findingSchema = objectSchema({
  code: stringSchema,
  severity: { type: 'string', enum: severities },
  message: stringSchema,
  advice: { ...stringSchema, description: 'What to do about it.' },
  binding: { ...orNull(uuidSchema), description: 'The stage binding it is about; null for the flow as a whole.' },
});

interface Dependencies {
  readonly policies: PolicyEngine;
  readonly stageKinds: readonly StageKind[];
}

/** A whole flow in one response: its stages, their bindings, and the findings of the linter. */
export const designAction = (needs: Dependencies) =>
  actionOn<DesignFlow>()({
    name: 'design',
    on: 'row',
    method: 'GET',
    page: { noButton: 'The page of a flow shows it under Designer.' },
    summary: 'Read a flow with its stages, bindings and findings',
    access: 'visible',
    answer: {
      status: 200,
      schemaName: 'FlowDesign',
      schema: objectSchema({
        ...{ pk: uuidSchema, slug: stringSchema, name: stringSchema, title: stringSchema, designation: stringSchema },
        target: { ...uuidSchema, description: 'What policies are bound to.' },
        locked: {
          ...orNull(stringSchema),
          description:
            'Why the caller may not change the flow although they may hold the permission; null if nothing keeps them.',
        },
        is_sign_in: { ...booleanSchema, description: 'Whether a brand signs people in by it.' },
        policy_engine_mode: modeSchema,
        gates: arrayOf(gateSchema),
        steps: arrayOf(stepSchema),
        findings: {
          ...orNull(arrayOf(findingSchema)),
          description: 'Null for callers who may not see every part of the flow.',
        },
      }),
    },
    async run({ call, engine, registry, row }) {
      const { pk, slug, name, title, designation, policy_engine_mode, policybindingmodel_ptr_id: target } = row;
      const steps = await loadSteps(call, registry, pk, call.db.read);
      const gates = await loadGates(call, registry, [target, ...steps.map((step) => step.target)]);
      const gatesOf = Map.groupBy(gates, (gate) => gate.target);
      const shownGates = (of: string) => (gatesOf.get(of) ?? []).map((gate) => shownGate(gate, registry));
      const uses = await usesOf(pk, { call, engine });
      const isWhole = ({ name }: DesignStep | DesignGate) => name !== null;
      return {
        ...{ pk, slug, name, title, designation, target, policy_engine_mode },
        locked: await lockOf(pk, { call, engine }),
        is_sign_in: uses.isSignIn,
        gates: shownGates(target),
        steps: steps.map(({ kind, ...step }) => ({
          ...step,
          type: nameOfKind(kind, registry),
          path: pathOf(kind, step.stage, registry),
          gates: shownGates(step.target),
        })),
        findings:
          steps.every(isWhole) && gates.every(isWhole)
            ? await findingsOf(needs, { call, engine }, { ...row, ...uses }, steps, gatesOf)
            : null,
      };
    },
  });

async function lockOf(pk: string, { call, engine: { registry } }: Reading): Promise<string | null> {
  const context = { call, registry, tx: call.db.read };
  const flows = registry.require(flowModel);
  const obstacle = (await findObstacles(flows, [pk], context)).get(pk);
  return obstacle ? (await explain(flows, obstacle, context)).detail : null;
}

const nameOfKind = (model: string | null, registry: Registry): string | null =>
  model === null ? null : (registry.find(model)?.names[0] ?? model);

const pathOf = (model: string | null, key: string | number | null, registry: Registry): string | null => {
  const resource = model === null || key === null ? undefined : registry.find(model);
  return resource ? `${resource.path}${key}/` : null;
};

function shownGate(gate: DesignGate, registry: Registry) {
  const { pk, order, enabled, negate, policy, group, user, name } = gate;
  const person = user === null ? null : 'svc_core.user';
  const model = gate.kind ?? (group === null ? person : 'svc_core.group');
  return {
    ...{ pk, order, enabled, negate, policy, group, user, name },
    type: nameOfKind(model, registry),
    path: pathOf(model, policy ?? group ?? user, registry),
  };
}

interface Reading {
  readonly call: Call;
  readonly engine: Engine;
}

async function findingsOf(
  { policies, stageKinds }: Dependencies,
  { call, engine }: Reading,
  flow: DesignFlow & Uses,
  steps: readonly DesignStep[],
  gatesOf: ReadonlyMap<string, readonly DesignGate[]>,
) {
  const foregone = await policies.constantResults({ call, targetPks: [...gatesOf.keys()] });
  const linted = (target: string): LintedGate[] =>
    (gatesOf.get(target) ?? [])
      .filter(({ enabled }) => enabled)
      .map(({ pk, negate, isAboutPerson, isEmpty }) => ({
        ...{ negate, isAboutPerson },
        decides: isEmpty ? false : (foregone.get(pk) ?? null),
      }));
  const lintedSteps: LintedStep[] = [];
  for (const { pk, target, policy_engine_mode: mode, stage, kind, ...step } of steps) {
    const found = stageKinds.find(({ resource }) => resource.model === kind);
    const settings = found?.roles && stage !== null ? await loadStage(engine, found.resource, stage, call) : null;
    const roles = settings ? (found?.roles?.(settings) ?? []) : [];
    lintedSteps.push({ ...step, binding: pk, mode, roles, gates: linted(target) });
  }
  return lintFlow({
    designation: flow.designation,
    authentication: flow.authentication,
    mode: flow.policy_engine_mode,
    gates: linted(flow.policybindingmodel_ptr_id),
    steps: lintedSteps,
    isSignIn: flow.isSignIn,
    isOfSource: flow.isOfSource,
  });
}

/** Whether brands sign people in by the flow, and whether sources start it. */
interface Uses {
  readonly isSignIn: boolean;
  readonly isOfSource: boolean;
}

async function usesOf(pk: string, { call, engine }: Reading): Promise<Uses> {
  const sources = engine.registry.require('svc_core.source');
  const source = sources.row();
  const { rows } = await sql<{ is_sign_in: unknown; is_of_source: unknown }>`select
    exists (select 1 from brands where flow_authentication = ${pk}) as is_sign_in,
    exists (select 1 from ${sources.from()} where ${source.col('authentication_flow')} = ${pk}
      or ${source.col('enrollment_flow')} = ${pk}) as is_of_source`.execute(call.db.read);
  return { isSignIn: Boolean(rows[0]?.is_sign_in), isOfSource: Boolean(rows[0]?.is_of_source) };
}
