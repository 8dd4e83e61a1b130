import type { Declaration, Family } from '../resource/define.ts';
import { nestedMany } from '../resource/fields/shown.ts';
import { text } from '../resource/fields/text.ts';
import { keyFilter } from '../resource/query.ts';
import { defineResource, type Resource } from '../resource/resource.ts';

/** What every stage has, whatever it does: a name, and the flows that it is part of. */
export const stageFamily: Family = {
  model: 'svc_flows.stage',
  table: 'stages',
  reaches: 'sign-in',
  fields: {
    name: text({ unique: 'stage with this name already exists.', filter: true }),
    flow_set: nestedMany(
      'svc_flows.flow',
      { table: 'flow_stage_bindings', own: 'stage', other: 'target' },
      { view: 'set', order: 'slug' },
    ),
  },
};

type Varying = Pick<
  Declaration,
  'path' | 'model' | 'schema' | 'names' | 'component' | 'description' | 'table' | 'fields'
> &
  Partial<Pick<Declaration, 'filters' | 'check' | 'actions'>>;

/** A kind of stage: its own fields on top of the family's. */
export function defineStage(kind: Varying): Resource {
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
