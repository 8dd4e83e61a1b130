import { certificateModel } from '../../../core/key/certificate-model.ts';
import type { ConnectionKind } from '../../../core/outpost/connection-kind.ts';
import { asText, memberOf } from '../../../lib/json.ts';
import type { Query } from '../../../platform/db/database.ts';
import type { Jobs } from '../../../platform/jobs/job.ts';
import type { Call, NewEvent } from '../../../resource/call.ts';
import type { ProviderKind } from '../../provider-kind.ts';
import { queueCheck } from './deployments.ts';

interface AfterDeploymentEventNeeds {
  readonly connectionKinds: readonly Pick<ConnectionKind, 'resource'>[];
  readonly providerKinds: readonly Pick<ProviderKind, 'resource' | 'servedHosts'>[];
  jobs(): Jobs;
}

/** Checks deployments after a change of a connection, its certificates, a token, or a provider with hosts. */
export function checkDeploymentsAfterEvent({ connectionKinds, providerKinds, jobs }: AfterDeploymentEventNeeds) {
  const watched = new Set([
    ...connectionKinds.map(({ resource }) => resource.model),
    ...providerKinds.flatMap(({ resource, servedHosts }) => (servedHosts ? [resource.model] : [])),
    ...['svc_core.token', certificateModel],
  ]);
  return async (tx: Query, _call: Call, { action, context }: NewEvent): Promise<void> => {
    if (action !== 'model_updated' && action !== 'model_deleted') return;
    const { model } = context;
    const name = `${asText(memberOf(model, 'app'))}.${asText(memberOf(model, 'model_name'))}`;
    if (watched.has(name)) await queueCheck(jobs(), tx);
  };
}
