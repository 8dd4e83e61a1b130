import { sql } from 'kysely';
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
  /** “the policy staff only”, “the group Staff”, “the user dana”. */
  readonly name: string;
}

/** Looks up names only when a decision is reported: they are not part of the cache. */
export async function nameDeciders(deciders: readonly Decider[], query: Query): Promise<NamedDecider[]> {
  const named: NamedDecider[] = [];
  for (const decider of deciders) named.push({ ...decider, name: await nameOf(decider, query) });
  return named;
}

async function nameOf({ policy, group, user }: Decider, query: Query): Promise<string> {
  if (policy !== null) return `the policy ${policy}`;
  const { rows } = await (group === null
    ? sql<{ name: string }>`select username as name from users where pk = ${user}`
    : sql<{ name: string }>`select name from groups where pk = ${group}`
  ).execute(query);
  return `the ${group === null ? 'user' : 'group'} ${rows[0]?.name ?? ''}`.trimEnd();
}
