import { defineFamilyList } from '../resource/family.ts';
import { policyFamily } from './policy.family.ts';

/** Policies of every kind. */
export const policiesResource = defineFamilyList({
  family: policyFamily,
  path: '/policies/all/',
  param: 'policy_uuid',
  key: 'uuid',
  schema: 'Policy',
  names: ['Policy', 'Policies'],
  order: ['name'],
  search: ['name'],
});
