import { Problem } from '../../lib/problem.ts';
import type { Actor } from '../../resource/access/actor.ts';

/** What it takes to see all users and groups. */
export const directoryPermissions = ['svc_core.view_user', 'svc_core.view_group'];
export const directoryRefusal =
  'Changing where users and groups are sent requires permission to view users and groups.';

/** Refuses callers who would see users and groups by this, or have them sent somewhere, unless they may see them. */
export function checkReadsDirectory(actor: Actor | null): void {
  const lacking = actor && directoryPermissions.find((permission) => !actor.holds(permission));
  if (lacking) throw Problem.lacks(lacking, directoryRefusal);
}
