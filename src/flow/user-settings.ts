import { type RawBuilder, sql } from 'kysely';
import type { Query } from '../platform/db/database.ts';
import type { PolicyEngine } from '../policy/engine.ts';
import { callersFacts } from '../policy/request.ts';
import { arrayOf, objectSchema, stringSchema } from '../resource/document/json-schema.ts';
import type { Action, Registry, Resource } from '../resource/resource.ts';
import { flowsForCaller } from './applicable-flow.ts';
import { flowPage } from './executor/challenge.ts';
import { stageFamily } from './stage.family.ts';

/** Something that users can configure for themselves: a stage, or a source to link. */
export const userSetting = objectSchema({
  object_uid: stringSchema,
  component: stringSchema,
  title: stringSchema,
  configure_url: stringSchema,
  icon_url: stringSchema,
});

interface ConfigurableStage {
  readonly pk: string;
  readonly flow: string;
  readonly title: string;
  readonly component: string;
}

/** What the caller can configure: stages that name a configuration flow which applies to the caller. */
export function userSettingsAction(policies: PolicyEngine): Action {
  return {
    name: 'user_settings',
    on: 'set',
    method: 'GET',
    page: { noButton: 'The account page shows them.' },
    summary: 'List the stages that the caller can set up for themselves',
    access: 'authenticated',
    answer: { status: 200, schema: arrayOf(userSetting), schemaName: 'UserSetting' },
    async run({ call, tx, registry }) {
      const stages = await configurableStages(registry, tx);
      const pks = stages.map(({ flow }) => flow);
      const open = await flowsForCaller(policies, pks, call, await callersFacts(call, tx));
      return stages.flatMap(({ pk, flow, title, component }) => {
        const slug = open.get(flow)?.slug;
        if (slug === undefined) return [];
        return [{ object_uid: pk, component, title, configure_url: flowPage(slug), icon_url: '' }];
      });
    },
  };
}

async function configurableStages(registry: Registry, query: Query): Promise<ConfigurableStage[]> {
  const kinds = registry.kinds(stageFamily.model).filter(({ fields }) => 'configure_flow' in fields);
  const { rows } = await sql<StageRow>`${sql.join(kinds.map(stagesOfKind), sql` union all `)}
    order by kind, name`.execute(query);
  return rows.map(({ kind, pk, flow, title }) => {
    const resource = registry.require(kind);
    return { pk, flow, title: title || resource.names[0], component: settingsComponent(resource) };
  });
}

interface StageRow {
  readonly kind: string;
  readonly pk: string;
  readonly flow: string;
  readonly title: string | null;
}

function stagesOfKind(kind: Resource): RawBuilder<unknown> {
  const row = kind.row();
  const title = 'friendly_name' in kind.fields ? row.col('friendly_name') : sql`null`;
  return sql`select cast(${kind.model} as text) as kind, ${row.col('pk')} as pk, ${row.col('configure_flow')} as flow,
    cast(${title} as text) as title, ${row.col('name')} as name from ${kind.from()}
    where ${row.col('configure_flow')} is not null`;
}

/** Derives the settings component: `xak-stage-password-form` gives `xak-user-settings-password`. */
const settingsComponent = ({ component = '' }: Resource) =>
  component.replace(/^xak-stage-(.*)-form$/, 'xak-user-settings-$1');
