import type { JobServer } from '../../../core/kind/kind.ts';
import type { ConnectionKind } from '../../../core/outpost/connection-kind.ts';
import { DeploymentError, type DeploymentWork, type Platform } from '../../../core/outpost/platform.ts';
import type { JobKind, JobWarning } from '../../../platform/jobs/job.ts';
import { backoffMs } from '../../../platform/jobs/queue.ts';
import { modelFacts } from '../../../resource/write/audit.ts';
import type { ProviderKind } from '../../provider-kind.ts';
import { outpostModel } from '../outpost-model.ts';
import { embeddedOutpost } from '../served-here.ts';
import {
  type Deployment,
  deleteDeployment,
  deployOutpostJob,
  deployOutpostsJob,
  insertDeployment,
  listDeployments,
  outpostsToCheck,
  queueDeployment,
  storeState,
} from './deployments.ts';
import {
  type DeploymentSettings,
  loadStoredOutpost,
  outpostToDeploy,
  type StoredOutpost,
} from './outpost-to-deploy.ts';

interface DeploymentJobsNeeds extends DeploymentSettings {
  readonly server: JobServer;
  readonly connectionKinds: readonly Pick<ConnectionKind, 'resource' | 'platform'>[];
  readonly providerKinds: readonly Pick<ProviderKind, 'servedHosts'>[];
}

const checkEveryMs = 4 * 60 * 60 * 1_000;

/** Jobs that deploy outposts by their service connections, and remove what is not wanted any more. */
export function deploymentJobs(needs: DeploymentJobsNeeds): JobKind[] {
  const { db, jobs } = needs.server;
  const one: JobKind<{ outpost: string }> = {
    name: deployOutpostJob,
    summary: 'Deploy an outpost by its service connection, or remove it.',
    isOutgoing: true,
    oneAtATime: 'by key',
    run: ({ payload, signal }) => deployOutpost(needs, payload.outpost, signal),
  };
  const all: JobKind = {
    name: deployOutpostsJob,
    summary: 'Check all outposts that are deployed by service connections.',
    everyMs: checkEveryMs,
    oneAtATime: true,
    async run() {
      const outposts = await outpostsToCheck(db.read, embeddedOutpost);
      await db.write(async (tx) => {
        for (const pk of outposts) await queueDeployment(jobs(), tx, pk);
      });
      return `${outposts.length} queued`;
    },
  };
  return [one, all];
}

async function deployOutpost(
  needs: DeploymentJobsNeeds,
  pk: string,
  signal: AbortSignal,
): Promise<string | JobWarning> {
  const { db } = needs.server;
  const stored = await loadStoredOutpost(db.read, pk, needs);
  const place = stored && (platformOf(needs, stored.connectionKind)?.placeOf(stored.config) ?? '');
  const failures: Failure[] = [];
  const isWanted = (at: Deployment) => at.connection === stored?.connection && at.place === place;
  // First, or the same ports and names could be in use still.
  for (const old of (await listDeployments(db.read, pk)).filter((at) => !isWanted(at))) {
    const work = workAt(needs, old.connection, signal);
    const failure = await attempt({ needs, signal, outpost: pk }, old, 'removing', async () => {
      await platformOf(needs, old.connectionKind)?.remove(pk, old.place, work);
      await db.write((tx) => deleteDeployment(tx, old.pk));
      return '';
    });
    if (failure) failures.push(failure);
  }
  if (stored && place !== null) {
    const { now } = needs.server.systemCall();
    await db.write((tx) => insertDeployment(tx, { outpost: pk, connection: stored.connection, place }, now));
    const at = (await listDeployments(db.read, pk)).find(isWanted);
    const failure =
      at && (await attempt({ needs, signal, outpost: pk }, at, 'deployed', () => deployAt(needs, stored, signal)));
    if (failure) failures.push(failure);
  }
  if (failures.length === 0) return stored ? `${stored.name} is deployed.` : 'Nothing is deployed.';
  const wait = backoffMs(Math.min(...failures.map(({ inARow }) => inARow)));
  await db.write((tx) => queueDeployment(needs.server.jobs(), tx, pk, wait));
  return { warning: failures.map(({ message }) => message).join(' ') };
}

interface Failure {
  readonly message: string;
  readonly inARow: number;
}

async function deployAt(needs: DeploymentJobsNeeds, stored: StoredOutpost, signal: AbortSignal): Promise<string> {
  const platform = platformOf(needs, stored.connectionKind);
  if (!platform) throw new DeploymentError('Connections of this kind do not deploy outposts.');
  const hosts = [];
  for (const kind of needs.providerKinds)
    hosts.push(...((await kind.servedHosts?.(needs.server.db.read, stored.pk)) ?? []));
  return platform.deploy(outpostToDeploy(stored, hosts, needs), workAt(needs, stored.connection, signal));
}

const workAt = ({ server }: DeploymentJobsNeeds, connection: string, signal: AbortSignal): DeploymentWork => ({
  ...{ connection, signal },
  call: server.systemCall(),
});

const platformOf = ({ connectionKinds }: DeploymentJobsNeeds, kind: string): Platform | undefined =>
  connectionKinds.find(({ resource }) => resource.model === kind)?.platform;

interface Attempted {
  readonly needs: DeploymentJobsNeeds;
  readonly signal: AbortSignal;
  readonly outpost: string;
}

/** Stores how it went; an event is recorded when it begins to fail, or fails otherwise. */
async function attempt(
  { needs: { server }, signal, outpost }: Attempted,
  at: Deployment,
  state: 'deployed' | 'removing',
  work: () => Promise<string>,
): Promise<Failure | null> {
  const { db } = server;
  try {
    const message = await work();
    await db.write((tx) => storeState(tx, at.pk, { state, message, failures: 0 }, server.systemCall().now));
    return null;
  } catch (error) {
    // What a stopping server leaves undone is no failure.
    if (!(error instanceof DeploymentError) || signal.aborted) throw error;
    const inARow = at.failures + 1;
    const failed = {
      state: state === 'removing' ? state : 'failed',
      message: error.message,
      failures: inARow,
    } as const;
    const verb = state === 'removing' ? 'removed' : 'deployed';
    const message = `An outpost cannot be ${verb} by the connection ${at.connectionName}: ${error.message}`;
    const call = server.systemCall();
    await db.write(async (tx) => {
      await storeState(tx, at.pk, failed, call.now);
      if (at.message === error.message) return;
      const resource = server.engine().registry.require(outpostModel);
      const context = { message, model: modelFacts(resource, outpost, {}) };
      await call.world.record(tx, call, { action: 'configuration_error', app: resource.app, context });
    });
    return { message, inARow };
  }
}
