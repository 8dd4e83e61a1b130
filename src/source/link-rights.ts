import { checkMayGrantMembership, checkMayReachUser } from '../core/access/delegation.ts';
import { Problem } from '../lib/problem.ts';
import type { Query } from '../platform/db/database.ts';
import { holdsOn } from '../resource/access/access.ts';
import { type Call, requireActor } from '../resource/call.ts';
import type { Registry } from '../resource/resource.ts';

export interface LinkedObject {
  readonly model: 'svc_core.user' | 'svc_core.group';
  readonly pk: unknown;
}

/** A link of a source to a user or group grants access to it, so creating one requires permission to change both. */
export async function checkMayLink(
  linked: LinkedObject,
  source: { readonly model: string; readonly pk: unknown },
  call: Call,
  registry: Registry,
  tx: Query,
): Promise<void> {
  const actor = requireActor(call);
  for (const { model, pk } of [linked, source]) {
    const resource = registry.require(model);
    const change = resource.permission('change');
    if (!(await holdsOn(actor, change, resource, pk, tx))) throw Problem.lacks(change);
  }
  await checkNotAboveCaller(linked, call, tx);
}

/**
 * Prevents privilege escalation by a connection: to a superuser's account, or into a group with more permissions than
 * the caller holds.
 */
export async function checkNotAboveCaller({ model, pk }: LinkedObject, call: Call, tx: Query): Promise<void> {
  if (model === 'svc_core.user') await checkMayReachUser(tx, call, Number(pk));
  else await checkMayGrantMembership(tx, call, [String(pk)]);
}
