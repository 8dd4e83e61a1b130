import { defineFamilyList } from '../resource/family.ts';
import { stageFamily } from './stage.family.ts';

/** Stages of every kind. */
export const stagesResource = defineFamilyList({
  family: stageFamily,
  path: '/stages/all/',
  param: 'stage_uuid',
  key: 'uuid',
  schema: 'Stage',
  names: ['stage', 'stages'],
  order: ['name'],
  search: ['name'],
});
