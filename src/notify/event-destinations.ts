import { Problem } from '../lib/problem.ts';
import type { Row } from '../resource/fields/field.ts';
import type { CheckInput } from '../resource/resource.ts';
import type { CorrectRights, RightsInput } from '../resource/visibility.ts';

const viewEvents = 'svc_events.view_event';

/** Refuses to change these members, by which events reach others, to callers who may not see all events themselves. */
export function checkMayRedirect(members: readonly string[], { call, values, current }: CheckInput<Row>): void {
  if (!current || !call.actor || call.actor.holds(viewEvents)) return;
  if (members.some((member) => !isSame(values[member], current[member])))
    throw new Problem(
      'permission_denied',
      'Whoever gets events reads them: changing that takes permission to see events.',
    );
}

/** Told to pages. */
export const redirectRights =
  (members: readonly string[]) =>
  async ({ actor }: RightsInput): Promise<CorrectRights> =>
  (_key, may) =>
    actor.holds(viewEvents) ? { may } : { may, fixed: members };

/** Lists of keys have no order. */
const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify([one ?? null].flat().sort()) === JSON.stringify([other ?? null].flat().sort());
