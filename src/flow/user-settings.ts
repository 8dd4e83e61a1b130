import { sql } from 'kysely';
import type { Query } from '../platform/db/database.ts';
import type { PolicyEngine } from '../policy/engine.ts';
import { callersFacts } from '../policy/request.ts';
import type { Action } from '../resource/define.ts';
import { arrayOf, objectSchema, stringSchema } from '../resource/json-schema.ts';
import type { Registry } from '../resource/registry.ts';
import type { Resource } from '../resource/resource.ts';
import { flowsForCaller } from './applicable-flow.ts';
import { stageFamily } from './stage.family.ts';

/** Something that people can set up for themselves: a stage, or a source to link to. */
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

/** What the caller can set up for themselves: stages that name a flow for it, where that flow is for the caller. */
export function userSettingsAction(policies: PolicyEngine): Action {
  return {
    name: 'user_settings',
    on: 'set',
    method: 'GET',
    summary: 'List the stages that the caller can set up for themselves',
    access: 'authenticated',
    answer: { status: 200, schema: arrayOf(userSetting) },
    async run({ call, tx, registry }) {
      const stages = await configurableStages(registry, tx);
      const pks = stages.map(({ flow }) => flow);
      const open = await flowsForCaller(policies, pks, call, await callersFacts(call, tx));
      return stages.flatMap(({ pk, flow, title, component }) => {
        const slug = open.get(flow)?.slug;
        if (slug === undefined) return [];
        return [{ object_uid: pk, component, title, configure_url: `/if/flow/${slug}/`, icon_url: '' }];
      });
    },
  };
}

async function configurableStages(registry: Registry, query: Query): Promise<ConfigurableStage[]> {
  const found: ConfigurableStage[] = [];
  for (const kind of registry.kinds(stageFamily.model)) {
    if (!('configure_flow' in kind.fields)) continue;
    const row = kind.row();
    const title = 'friendly_name' in kind.fields ? row.col('friendly_name') : sql`null`;
    const { rows } = await sql<{ pk: string; flow: string; title: string | null }>`select ${row.col('pk')} as pk,
      ${row.col('configure_flow')} as flow, ${title} as title from ${kind.from()}
      where ${row.col('configure_flow')} is not null order by ${row.col('name')}`.execute(query);
    const component = settingsComponent(kind);
    found.push(...rows.map(({ pk, flow, title }) => ({ pk, flow, component, title: title || kind.names[0] })));
  }
  return found;
}

/** `xak-stage-password-form` is set up with `xak-user-settings-password`. */
const settingsComponent = ({ component = '' }: Resource) =>
  component.replace(/^xak-stage-(.*)-form$/, 'xak-user-settings-$1');
