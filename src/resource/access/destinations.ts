import { Problem } from '../../lib/problem.ts';
import type { Row } from '../fields/field.ts';
import type { CheckInput } from '../resource.ts';
import { holdsAll } from './access.ts';
import type { Actor } from './actor.ts';
import type { CorrectRights, RightsInput } from './visibility.ts';

interface Destinations {
  /** By these, data reaches others. */
  readonly members: readonly string[];
  /** What it takes to see the data here. */
  readonly permissions: readonly string[];
  readonly refusal: string;
}

/**
 * Only callers who may view data may change where it is sent: else they could send it to themselves. A new object sends
 * nothing until it is put to use, which is checked there.
 */
export function guardDestinations({ members, permissions, refusal }: Destinations) {
  const maySee = (actor: Actor) => holdsAll(actor, permissions);
  return {
    check({ call, values, current }: CheckInput<Row>): null {
      const { actor } = call;
      const lacking = current && actor && permissions.find((permission) => !actor.holds(permission));
      if (lacking && members.some((member) => !isSame(values[member], current[member])))
        throw Problem.lacks(lacking, refusal);
      return null;
    },
    /** Told to pages. */
    async rightsOf({ actor }: RightsInput): Promise<CorrectRights> {
      return (_key, may) => (maySee(actor) ? { may } : { may, fixed: members });
    },
  };
}

/** Lists of keys have no order, and what is empty leads nowhere. */
const isSame = (one: unknown, other: unknown): boolean => textOf(one) === textOf(other);
const textOf = (value: unknown): string => JSON.stringify([value || []].flat().sort());
