import { defineResource } from '../resource/define.ts';
import { nestedMany } from '../resource/fields/computed.ts';
import type { Fields } from '../resource/fields/field.ts';
import { text } from '../resource/fields/text.ts';
import { keyFilter } from '../resource/list/query.ts';
import type { NoFields, StoredRow } from '../resource/read/stored-row.ts';
import type { Family, KindDeclaration, Resource } from '../resource/resource.ts';

/** The members common to all stages. */
export const stageFamily = {
  model: 'svc_flows.stage',
  table: 'stages',
  reaches: 'sign-in',
  fields: {
    name: text({
      unique: 'stage with this name already exists.',
      filter: true,
      help: 'The name of the stage; unique.',
      isObvious: true,
    }),
    flow_set: nestedMany(
      'svc_flows.flow',
      { table: 'flow_stage_bindings', own: 'stage', other: 'target' },
      { view: 'set', order: 'slug' },
    ),
  },
} satisfies Family;

type StageFields = typeof stageFamily.fields;

/** The settings common to all stages. */
export type StageSettings = StoredRow<StageFields, NoFields, 'uuid'>;

/** A kind of stage: its own fields on top of the family's. */
export function defineStage<F extends Fields>(
  kind: KindDeclaration<F, StageFields>,
): Resource<StoredRow<F, StageFields, 'uuid'>> {
  return defineResource({
    param: 'stage_uuid',
    key: 'uuid',
    family: stageFamily,
    order: ['name'],
    search: ['name'],
    ...kind,
    filters: { stage_uuid: keyFilter, ...kind.filters },
  });
}
