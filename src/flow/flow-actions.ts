import { Invalid } from '../lib/problem.ts';
import { Rollback } from '../platform/db/database.ts';
import type { PolicyEngine } from '../policy/engine.ts';
import { callersFacts } from '../policy/request.ts';
import { cacheActions } from '../resource/cache-actions.ts';
import type { Call } from '../resource/call.ts';
import { actionOn, defineAction } from '../resource/define.ts';
import {
  arrayOf,
  booleanSchema,
  integerSchema,
  type JsonSchema,
  objectSchema,
  stringSchema,
} from '../resource/document/json-schema.ts';
import { logSchema } from '../resource/document/log-schema.ts';
import { ReplyWith } from '../resource/document/operations.ts';
import type { Action } from '../resource/resource.ts';
import { loadDenial } from './applicable-flow.ts';
import { exportFlow } from './blueprint/export-flow.ts';
import { type BlueprintEntry, readBlueprint } from './blueprint/format.ts';
import { type EntryComplaint, importFlow } from './blueprint/import-flow.ts';
import { designAction } from './design/design-action.ts';
import type { DesignFlow } from './design/load-design.ts';
import { orderAction } from './design/order-action.ts';
import { flowDiagram } from './diagram.ts';
import { flowPage } from './executor/challenge.ts';
import type { FlowReads } from './executor/flow-reads.ts';
import type { StageKind } from './executor/stage-kind.ts';

export interface FlowActionNeeds {
  readonly policies: PolicyEngine;
  readonly flows: FlowReads;
  readonly stageKinds: readonly StageKind[];
  readonly config: { readonly publicUrl: string };
}

export function flowActions({ policies, flows, stageKinds, config }: FlowActionNeeds): Action<DesignFlow>[] {
  return [
    executeAction(policies, config.publicUrl),
    diagramAction,
    designAction({ policies, stageKinds }),
    orderAction,
    exportAction,
    importAction,
    ...cacheActions(flows, {
      of: 'flows',
      app: 'svc_flows',
      view: 'svc_flows.view_flow_cache',
      clear: 'svc_flows.clear_flow_cache',
    }),
  ];
}

/** The address of a flow, for callers to whom it applies. Opening the page starts it. */
const executeAction = (policies: PolicyEngine, publicUrl: string) =>
  actionOn<DesignFlow>()({
    name: 'execute',
    on: 'row',
    method: 'GET',
    page: { noButton: 'The page of a flow runs it under Try it.' },
    summary: 'Get the start of a flow, if it applies to the caller',
    access: 'visible',
    answer: { status: 200, schema: objectSchema({ link: stringSchema }), schemaName: 'Link' },
    async run({ call, row }) {
      const user = await callersFacts(call, call.db.read);
      const refusal = await loadDenial(policies, row, { call, user, context: {} });
      if (refusal) throw Invalid.whole(['Flow not applicable to current user/request.', ...refusal].join(' '));
      return { link: new URL(flowPage(row.slug), publicUrl).href };
    },
  });

const diagramAction = actionOn<DesignFlow>()({
  name: 'diagram',
  on: 'row',
  method: 'GET',
  page: { noButton: 'The page of a flow draws it under Diagram.' },
  summary: 'Draw a flow as a Mermaid diagram',
  access: 'visible',
  answer: { status: 200, schema: objectSchema({ diagram: stringSchema }), schemaName: 'FlowDiagram' },
  run: async ({ call, registry, row }) => ({
    diagram: await flowDiagram(call, registry, {
      pk: row.pk,
      name: row.name,
      target: row.policybindingmodel_ptr_id,
      mode: row.policy_engine_mode,
    }),
  }),
});

const yaml = 'application/yaml';

const blueprintSchema: JsonSchema = {
  ...objectSchema({
    version: integerSchema,
    metadata: { type: 'object', additionalProperties: true },
    entries: arrayOf({ type: 'object', additionalProperties: true }),
  }),
  additionalProperties: true,
};

const exportAction = actionOn<DesignFlow>()({
  name: 'export',
  on: 'row',
  method: 'GET',
  page: { noButton: 'The page of a flow downloads it.' },
  summary: 'Export a flow with its stages and policies as a blueprint',
  access: { permission: 'svc_flows.export_flow' },
  answer: { status: 200, file: yaml, fileSchema: blueprintSchema },
  async run({ call, engine, row }) {
    const { pk, slug } = row;
    const text = await exportFlow(engine, call, { pk, slug });
    const disposition = `attachment; filename="${slug}.yaml"`;
    return new ReplyWith(200, text, { 'content-type': yaml, 'content-disposition': disposition });
  },
});

const importSchema = objectSchema({ logs: arrayOf(logSchema), success: booleanSchema });

const importAction = defineAction({
  name: 'import',
  on: 'set',
  method: 'POST',
  page: { button: 'Import' },
  summary: 'Create the flow of a blueprint, atomically',
  access: { permission: 'svc_flows.add_flow' },
  upload: true,
  answer: { status: 200, schema: importSchema, schemaName: 'FlowImportResult' },
  prepare: ({ call }) => uploadedEntries(call),
  async run({ call, engine, tx, prepared: entries }) {
    const { complaints, lacking } = await importFlow(engine, call, tx, entries);
    if (complaints.length === 0) {
      const membersOf = (entry: number) => lacking.find((one) => one.entry === entry)?.members ?? [];
      const logs = entries.map(({ model }, index) => importedLog(index + 1, model, membersOf(index + 1), call.now));
      return { success: true, logs };
    }
    const body = { success: false, logs: complaints.map((complaint) => logOf(complaint, call.now)) };
    throw new Rollback(new ReplyWith(400, body));
  },
});

async function uploadedEntries(call: Call): Promise<BlueprintEntry[]> {
  const upload = await call.upload();
  if (!upload || upload.bytes.length === 0) throw Invalid.field('file', 'No file was submitted.');
  try {
    return readBlueprint(new TextDecoder('utf-8', { fatal: true }).decode(upload.bytes));
  } catch (error) {
    if (error instanceof TypeError) throw Invalid.field('file', 'The file is not valid UTF-8 text.');
    throw error;
  }
}

const logOf = ({ entry, model, complaints }: EntryComplaint, now: string) => ({
  timestamp: now,
  log_level: 'error',
  logger,
  event: `Entry ${entry} is refused.`,
  attributes: { entry, model, complaints },
});

const importedLog = (entry: number, model: string, lacking: readonly string[], now: string) => ({
  timestamp: now,
  log_level: lacking.length === 0 ? 'info' : 'warning',
  logger,
  event:
    lacking.length === 0
      ? `Entry ${entry} is imported.`
      : `Entry ${entry} is imported without secrets. Enter them: ${lacking.join(', ')}.`,
  attributes: { entry, model, ...(lacking.length > 0 && { lacking }) },
});

const logger = 'gatehouse.blueprint';
