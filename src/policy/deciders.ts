import { sql } from 'kysely';
import { message, type UserMessage } from '../lib/texts/message.ts';
import type { Query } from '../platform/db/database.ts';

/** A binding that a decision rests on. */
export interface Decider {
  readonly binding: string;
  readonly passing: boolean;
  /** The policy's name, if one is bound. */
  readonly policy: string | null;
  readonly group: string | null;
  readonly user: number | null;
}

export interface NamedDecider extends Decider {
  readonly bound: Bound;
  /** “the policy staff only”, “the group Staff”, “the user dana”; `deletedName` if it is gone. */
  readonly name: UserMessage;
}

export const boundKinds = ['policy', 'group', 'user', 'deleted'] as const;

/** The subject of a binding whose group or user was deleted. */
export const deletedName = 'a group or user that is deleted';

/** What a binding binds. */
export interface Bound {
  readonly kind: (typeof boundKinds)[number];
  readonly name: string;
}

/** Looks up names only when a decision is reported: they are not part of the cache. */
export async function nameDeciders(deciders: readonly Decider[], query: Query): Promise<NamedDecider[]> {
  const named: NamedDecider[] = [];
  for (const decider of deciders) {
    const bound = await boundBy(decider, query);
    named.push({ ...decider, bound, name: nameOf(bound) });
  }
  return named;
}

const nameOf = ({ kind, name }: Bound): UserMessage =>
  kind === 'deleted' ? message(deletedName) : message(`the ${kind} {name}`, { name });

async function boundBy({ policy, group, user }: Decider, query: Query): Promise<Bound> {
  if (policy !== null) return { kind: 'policy', name: policy };
  const { rows } = await (group === null
    ? sql<{ name: string }>`select username as name from users where pk = ${user}`
    : sql<{ name: string }>`select name from groups where pk = ${group}`
  ).execute(query);
  const [found] = rows;
  if (!found) return { kind: 'deleted', name: '' };
  return { kind: group === null ? 'user' : 'group', name: found.name };
}
