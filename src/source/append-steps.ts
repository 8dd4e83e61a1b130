import { sql } from 'kysely';
import { recordEmailProof } from '../core/directory/email-proof.ts';
import type { FlowState } from '../flow/executor/flow-state.ts';
import type { PlanStep } from '../flow/plan.ts';
import type { AppendStep } from '../flow/protocol-kind.ts';
import type { Json } from '../lib/json.ts';
import { Problem } from '../lib/problem.ts';
import { message } from '../lib/texts/message.ts';
import type { Query } from '../platform/db/database.ts';
import type { AccessContext } from '../resource/resource.ts';
import { modelFacts } from '../resource/write/audit.ts';
import { updateColumns } from '../resource/write/write.ts';
import { insertRow } from '../resource/write/write-row.ts';
import { insertPendingLogin, type PendingLoginRow } from './pending-logins.ts';
import type { PlannedGroup } from './properties.ts';
import { createSyncGroups, type LiveSource } from './sync-groups.ts';

/** That an account elsewhere belongs to the user of the flow. */
type Connection = {
  readonly model: string;
  readonly identifier: string;
  /** Further columns of the connection, secrets in clear: the plan as a whole is sealed. */
  readonly values: Readonly<Record<string, Json>>;
  /** The address that the source vouches for. */
  readonly email?: string;
};

/**
 * The end of a flow at a source: stores the connection and, if the source returned groups, replaces the user's groups
 * from this source.
 */
export const sourceSteps = (
  kind: string,
  connection: Connection,
  groups: readonly PlannedGroup[] | null,
): PlanStep[] => [
  { kind, step: 'save_connection', content: connection },
  ...(groups === null ? [] : [{ kind, step: 'sync_groups', content: [...groups] }]),
];

/** Checks that the flow is still about this user. */
export const userStep = (kind: string, user: number): PlanStep => ({ kind, step: 'check_user', content: user });

/** The step of a pre-login flow: stores that the user completed it. */
export const passStep = (kind: string, visit: PendingLoginRow): PlanStep => ({ kind, step: 'pass', content: visit });

/** Carries out what sources have planned. It throws `Problem` when the conditions of the plan no longer hold. */
export function createAppendSteps(): AppendStep {
  const syncGroups = createSyncGroups();
  return async ({ step, content }, state, tx, call, registry) => {
    const source = await requireLiveSource(tx, state);
    // The content is what `passStep` or `sourceSteps` put into the plan.
    if (step === 'pass') return insertPendingLogin(tx, content as PendingLoginRow, call.now);
    const user = await activeUser(tx, state);
    if (step === 'check_user') return checkUser(user, content, source);
    if (step === 'save_connection') {
      // `sourceSteps` planned it.
      const connection = content as Connection;
      await saveConnection({ call, registry, tx }, connection, source, user);
      const { email } = connection;
      return email === undefined ? undefined : recordEmailProof(tx, { email, by: 'source' }, user, call.now);
    }
    // `sourceSteps` planned them.
    return syncGroups(content as PlannedGroup[], source, user, tx, call);
  };
}

async function requireLiveSource(tx: Query, { plan }: FlowState): Promise<LiveSource> {
  const { rows } = await sql<LiveSource>`select pk, slug, name, kind, group_matching_mode from sources
    where pk = ${plan.source?.pk ?? null} and enabled`.execute(tx);
  if (!rows[0]) throw new Problem('permission_denied', 'Access denied.');
  return rows[0];
}

async function activeUser(tx: Query, { context }: FlowState): Promise<number> {
  const { rows } = await sql<{ pk: number }>`select pk from users
    where pk = ${context.pending_user} and is_active`.execute(tx);
  if (!rows[0]) throw new Problem('permission_denied', 'Access denied.');
  return rows[0].pk;
}

function checkUser(user: number, expected: Json, { name }: LiveSource): void {
  if (user === expected) return;
  throw new Problem(
    'permission_denied',
    message('Your account of {name} was not connected: it has the address of another user.', { name }),
  );
}

/** An external account has one owner; a concurrent sign-in cannot take it over. */
async function saveConnection(
  { call, registry, tx }: AccessContext,
  { model, identifier, values }: Connection,
  source: LiveSource,
  user: number,
): Promise<void> {
  const connections = registry.require(model);
  const { rows } = await sql<{ pk: number; user: number; identifier: string }>`select pk, "user", identifier
    from user_source_connections where source = ${source.pk}
    and ("user" = ${user} or identifier = ${identifier})`.execute(tx);
  const same = rows.find((row) => row.user === user && row.identifier === identifier);
  if (same) {
    await updateColumns(connections, same.pk, values, call, tx);
    return;
  }
  if (rows.length > 0) {
    throw new Problem(
      'permission_denied',
      message('This account of {name} cannot be linked to this user.', { name: source.name }),
    );
  }
  await insertRow(connections, { ...values, user, source: source.pk, identifier, created: call.now }, call, tx);
  const resource = registry.require(source.kind);
  const context = { message: 'Linked Source', source: modelFacts(resource, source.pk, { name: source.name }), user };
  await call.world.record(tx, call, { action: 'source_linked', app: resource.app, context });
}
