import { sql } from 'kysely';
import { checkNotImpersonating } from '../core/access/impersonation-guard.ts';
import { Invalid } from '../lib/problem.ts';
import { message, type UserMessage } from '../lib/texts/message.ts';
import type { Query } from '../platform/db/database.ts';
import { type Call, requireActor } from '../resource/call.ts';
import type { Registry } from '../resource/resource.ts';
import { modelFacts, recordWrite } from '../resource/write/audit.ts';
import { updateColumns } from '../resource/write/write.ts';
import { insertRow } from '../resource/write/write-row.ts';
import type { ExternalIdentity } from './external-identity.ts';

interface ExistingConnection {
  readonly pk: number;
  readonly user: number;
  readonly identifier: string;
}

/**
 * Stores that an account of the source belongs to the caller. An account has one owner, and a user one account with a
 * source; linking the same account again is refused, or refreshes what is stored of it.
 */
export async function linkCaller(
  external: ExternalIdentity,
  again: 'refuse' | 'refresh',
  call: Call,
  registry: Registry,
  tx: Query,
): Promise<'linked' | 'refreshed'> {
  const { source, sourceResource, connectionModel, connectionValues, identity } = external;
  checkNotImpersonating(call);
  const { user } = requireActor(call);
  const connections = registry.require(connectionModel);
  const { rows } = await sql<ExistingConnection>`select pk, "user", identifier from user_source_connections
    where source = ${source.pk} and ("user" = ${user.pk} or identifier = ${identity.identifier})`.execute(tx);
  const same = rows.find((row) => row.user === user.pk && row.identifier === identity.identifier);
  if (same && again === 'refresh') {
    await updateColumns(connections, same.pk, connectionValues, call, tx);
    await recordWrite('model_updated', { resource: connections, pk: same.pk, values: { ...same }, diff: {}, call, tx });
    return 'refreshed';
  }
  if (rows.length > 0) throw Invalid.whole(refusal(rows, user.pk, source.name));

  const values = {
    ...connectionValues,
    user: user.pk,
    source: source.pk,
    identifier: identity.identifier,
    created: call.now,
  };
  await insertRow(connections, values, call, tx);
  const context = { message: 'Linked Source', source: modelFacts(sourceResource, source.pk, source) };
  await call.world.record(tx, call, { action: 'source_linked', app: sourceResource.app, context });
  return 'linked';
}

function refusal(rows: readonly ExistingConnection[], user: number, name: string): UserMessage {
  if (rows.some((row) => row.user === user)) return message('You are already linked to {name}.', { name });
  return message('This account of {name} is linked to another user.', { name });
}
