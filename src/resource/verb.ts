export type Verb = 'list' | 'create' | 'retrieve' | 'update' | 'partial_update' | 'destroy' | 'used_by';
export const allVerbs: readonly Verb[] = [
  'list',
  'create',
  'retrieve',
  'update',
  'partial_update',
  'destroy',
  'used_by',
];
export const readVerbs: readonly Verb[] = ['list', 'retrieve', 'used_by'];
export const readAndDeleteVerbs: readonly Verb[] = ['list', 'retrieve', 'destroy', 'used_by'];
