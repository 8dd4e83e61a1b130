import { sql } from 'kysely';
import type { Query } from '../../../platform/db/database.ts';
import type { Jobs } from '../../../platform/jobs/job.ts';
import { randomUuid } from '../../../platform/random.ts';

/** An outpost on a platform. The row is there from before the first call until everything is removed. */
export interface Deployment {
  readonly pk: string;
  readonly connection: string;
  readonly connectionKind: string;
  readonly connectionName: string;
  readonly place: string;
  readonly state: DeploymentState;
  readonly message: string;
  /** In a row. */
  readonly failures: number;
  readonly checked: string;
}

export const deploymentStates = ['pending', 'deployed', 'failed', 'removing'] as const;
export type DeploymentState = (typeof deploymentStates)[number];

export const deployOutpostJob = 'deploy_outpost';
export const deployOutpostsJob = 'deploy_outposts';

/** Queues deploying an outpost, or removing it where it is deployed but should not be. */
export const queueDeployment = (jobs: Pick<Jobs, 'enqueue'>, tx: Query, outpost: string, delayMs = 0): Promise<void> =>
  jobs.enqueue(tx, { kind: deployOutpostJob, payload: { outpost }, key: `${deployOutpostJob} ${outpost}`, delayMs });

export async function listDeployments(query: Query, outpost: string): Promise<readonly Deployment[]> {
  const { rows } = await sql<Deployment>`select d.pk, d.connection, c.kind as "connectionKind",
    c.name as "connectionName", d.place, d.state, d.message, d.failures, d.checked
    from outpost_deployments d join service_connections c on c.pk = d.connection
    where d.outpost = ${outpost} order by c.name, d.place`.execute(query);
  return rows;
}

export const hasDeployments = async (query: Query, outpost: string): Promise<boolean> =>
  (await listDeployments(query, outpost)).length > 0;

/** Every outpost that is deployed, or should be. */
export async function outpostsToCheck(query: Query, embedded: string): Promise<readonly string[]> {
  const { rows } = await sql<{ pk: string }>`select pk from outposts
    where service_connection is not null and (managed is null or managed <> ${embedded})
    union select outpost as pk from outpost_deployments`.execute(query);
  return rows.map(({ pk }) => pk);
}

export async function insertDeployment(
  tx: Query,
  at: { readonly outpost: string; readonly connection: string; readonly place: string },
  now: string,
): Promise<void> {
  await sql`insert into outpost_deployments (pk, outpost, connection, place, state, message, checked)
    values (${randomUuid()}, ${at.outpost}, ${at.connection}, ${at.place}, 'pending', '', ${now})
    on conflict (outpost, connection, place) do nothing`.execute(tx);
}

export async function storeState(
  tx: Query,
  pk: string,
  { state, message, failures }: Pick<Deployment, 'state' | 'message' | 'failures'>,
  now: string,
): Promise<void> {
  await sql`update outpost_deployments set state = ${state}, message = ${message}, failures = ${failures},
    checked = ${now}
    where pk = ${pk}`.execute(tx);
}

export async function deleteDeployment(tx: Query, pk: string): Promise<void> {
  await sql`delete from outpost_deployments where pk = ${pk}`.execute(tx);
}

export async function queueDeploymentsBy(jobs: Jobs, tx: Query, connection: string): Promise<void> {
  const { rows } = await sql<{ outpost: string }>`select distinct outpost from outpost_deployments
    where connection = ${connection}`.execute(tx);
  for (const { outpost } of rows) await queueDeployment(jobs, tx, outpost);
}

/** Queues a check of all deployments, if there are any, after a change of something that they may depend on. */
export async function queueCheck(jobs: Jobs, tx: Query): Promise<void> {
  const { rows } = await sql`select 1 from outpost_deployments limit 1`.execute(tx);
  if (rows.length > 0) await jobs.enqueue(tx, { kind: deployOutpostsJob, key: deployOutpostsJob });
}
