import type { AdminOverview } from '../../api/types.ts';

export type StepName =
  | 'password'
  | 'second_factor'
  | 'public_address'
  | 'mail'
  | 'application'
  | 'second_administrator'
  | 'backup';

export type ChecklistItem = AdminOverview['checklist'][number];

export type Week = NonNullable<AdminOverview['week']>;
