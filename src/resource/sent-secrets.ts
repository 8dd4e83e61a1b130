import type { Complaints } from '../lib/problem.ts';
import type { Query } from '../platform/db/database.ts';
import { holdsOn } from './access.ts';
import type { Call } from './call.ts';
import type { Row } from './fields/field.ts';
import type { ParsedBody } from './parse.ts';
import type { Resource } from './resource.ts';

const complaint = ['Enter it again: it would be sent to another address, and you may not see it.'];

/** Callers who may not see a secret must not have it sent to an address of their choice. */
export async function sentElsewhere(
  resource: Resource,
  { actor }: Call,
  tx: Query,
  pk: string | number,
  { values }: ParsedBody,
  current: Row,
): Promise<Complaints | null> {
  const moved = Object.entries(resource.allFields)
    .filter(
      ([name, { sentTo = [] }]) => !(name in values) && sentTo.some((to) => to in values && values[to] !== current[to]),
    )
    .map(([name]) => name);
  if (moved.length === 0 || !actor || (await holdsOn(actor, resource.secretPermission, resource, pk, tx))) return null;
  return Object.fromEntries(moved.map((name) => [name, complaint]));
}
