import { asObject } from '../../lib/json.ts';
import type { Complaints } from '../../lib/problem.ts';
import type { Row } from '../fields/field.ts';
import { secretsOf } from '../read/plan.ts';
import type { OperationContext } from '../resource.ts';
import type { ParsedBody } from '../write/parse.ts';
import { holdsOn } from './access.ts';

const complaint = ['Enter it again: it would be sent to another address, and you may not see it.'];

/** Callers who may not see a secret must not have it sent to an address of their choice. */
export async function sentElsewhere(
  { resource, call: { actor }, tx }: OperationContext,
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

/** A caller who reads a hidden secret as empty and sends it back does not mean to clear it. */
export async function keepUnseenSecrets(
  { resource, call: { actor }, tx }: OperationContext,
  pk: string | number,
  { values, complaints }: ParsedBody,
  body: unknown,
): Promise<void> {
  const sent = asObject(body);
  const emptied = secretsOf(resource).filter(([name]) => isEmpty(values[name]) || isEmpty(sent[name]));
  if (emptied.length === 0 || !actor) return;
  if (await holdsOn(actor, resource.secretPermission, resource, pk, tx)) return;
  for (const [name] of emptied) {
    delete values[name];
    delete complaints[name];
  }
}

const isEmpty = (value: unknown): boolean => value === '' || JSON.stringify(value) === '{}';
