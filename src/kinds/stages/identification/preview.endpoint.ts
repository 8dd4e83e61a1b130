import { sql } from 'kysely';
import { backgroundOf } from '../../../flow/background.ts';
import { loadStage } from '../../../flow/executor/load-stage.ts';
import { flowLayouts } from '../../../flow/layouts.ts';
import { Problem } from '../../../lib/problem.ts';
import type { Query } from '../../../platform/db/database.ts';
import type { Call } from '../../../resource/call.ts';
import {
  type JsonSchema,
  objectSchema,
  orNull,
  stringSchema,
  uuidSchema,
} from '../../../resource/document/json-schema.ts';
import { defineEndpoint, type Endpoint } from '../../../resource/endpoint.ts';
import type { Row } from '../../../resource/fields/field.ts';
import { canonicalUuid, isUuid } from '../../../resource/fields/scalar.ts';
import type { Engine, RowOf } from '../../../resource/resource.ts';
import { identificationStage } from './identification-stage.resource.ts';

/** What the screen depends on. */
export interface ScreenContext {
  readonly call: Call;
  readonly engine: Engine;
  readonly settings: RowOf<typeof identificationStage>;
  readonly flow: { readonly designation: string };
}

interface FlowRow {
  readonly title: string;
  readonly background: string;
  readonly layout: string;
  readonly designation: string;
  readonly stage: string | null;
}

/** The first screen of a flow without walking through it: for pages that show how sign-in looks. */
export const previewEndpoint = (
  screenSchema: JsonSchema,
  screenOf: (context: ScreenContext) => Promise<Row>,
): Endpoint =>
  defineEndpoint({
    id: 'stages_identification_preview_retrieve',
    method: 'GET',
    path: '/stages/identification/preview/',
    page: { noButton: 'The page of a brand shows it.' },
    summary: 'Read what the sign-in page of a flow shows',
    access: { permission: 'svc_stages_identification.view_identificationstage' },
    query: [
      {
        name: 'flow',
        schema: uuidSchema,
        description: 'The flow; without it, the one that is used where a brand has none.',
      },
    ],
    answer: {
      status: 200,
      schema: objectSchema({
        flow_info: objectSchema({
          title: stringSchema,
          background: stringSchema,
          layout: { type: 'string', enum: flowLayouts },
        }),
        screen: {
          ...orNull(screenSchema),
          description: 'The challenge of its identification stage; null if it has none. Without what the brand adds.',
        },
      }),
      schemaName: 'SignInPreview',
    },
    async run({ call, engine, tx }) {
      const flow = await findFlow(call.request.query.get('flow'), tx);
      if (!flow) throw new Problem('not_found');
      const { title, background, layout, stage } = flow;
      const settings = stage === null ? null : await loadStage(engine, identificationStage, stage, call);
      return {
        flow_info: { title, background: backgroundOf(background, call.world.publicHost), layout },
        screen: settings && (await screenOf({ call, engine, settings, flow })),
      };
    },
  });

/** A flow with its first identification stage. */
async function findFlow(pk: string | null, query: Query): Promise<FlowRow | undefined> {
  if (pk !== null && !isUuid(pk)) return undefined;
  const wanted = pk === null ? sql`f.designation = 'authentication' and f.enabled` : sql`f.pk = ${canonicalUuid(pk)}`;
  const { rows } = await sql<FlowRow>`select f.title, f.background, f.layout, f.designation,
    (select s.pk from flow_stage_bindings b join stages s on s.pk = b.stage
      where b.target = f.pk and s.kind = ${identificationStage.model} order by b."order", b.pk limit 1) as stage
    from flows f where ${wanted} order by f.slug limit 1`.execute(query);
  return rows[0];
}
