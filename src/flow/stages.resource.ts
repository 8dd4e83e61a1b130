import type { PolicyEngine } from '../policy/engine.ts';
import { defineFamilyList } from '../resource/family.ts';
import type { Resource } from '../resource/resource.ts';
import { stageFamily } from './stage.family.ts';
import { userSettingsAction } from './user-settings.ts';

export function stagesResource(policies: PolicyEngine): Resource {
  return defineFamilyList({
    family: stageFamily,
    path: '/stages/all/',
    param: 'stage_uuid',
    key: 'uuid',
    schema: 'Stage',
    names: ['stage', 'stages'],
    order: ['name'],
    page: { columns: ['name', 'verbose_name', 'flow_set'] },
    search: ['name'],
    actions: [userSettingsAction(policies)],
  });
}
