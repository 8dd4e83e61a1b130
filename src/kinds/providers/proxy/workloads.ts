import { sql } from 'kysely';
import type { Database } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/statement.ts';
import { createServiceAccounts } from '../../../provider/workload/service-account.ts';
import { loadTrustedKeys, type TrustedKeysNeeds } from '../../../provider/workload/trusted-keys.ts';
import { standardAlgorithms, verifyAssertion, workloadOf } from '../../../provider/workload/verify-assertion.ts';
import type { Call } from '../../../resource/call.ts';
import type { Engine } from '../../../resource/resource.ts';
import type { ProtectedApplication } from './protected-application.ts';

export interface WorkloadNeeds extends TrustedKeysNeeds {
  readonly db: Database;
  readonly engine: Engine;
}

/** A program that a JWKS source vouches for. */
export interface ProvenWorkload {
  readonly source: string;
  readonly user: number;
  readonly expires: string;
}

const accountOf = createServiceAccounts({ table: 'proxy_workload_accounts' });
const sourcesOf = statement<[provider: number], { source: string }>(
  (provider) => sql`select source from provider_proxy_jwks_sources where provider = ${provider}`,
);

/** The program that brings a token of a JWKS source, made for this provider; null if the token proves nothing. */
export async function findWorkload(
  needs: WorkloadNeeds,
  call: Call,
  application: ProtectedApplication,
  jwt: string,
): Promise<ProvenWorkload | null> {
  const query = needs.db.read;
  const sources = (await sourcesOf(query, application.pk)).map(({ source }) => source);
  if (sources.length === 0 || jwt.split('.').length !== 3) return null;
  const trusted = await loadTrustedKeys(needs, { sources, jwt }, query, call.now);
  const terms = { audience: [application.client_id], algorithms: standardAlgorithms };
  const verified = await verifyAssertion(trusted, jwt, terms, call.now);
  if (!verified || verified.source === null) return null;
  const user = await accountOf(needs.engine, call, application, workloadOf(verified));
  return { source: verified.source, user, expires: verified.expires };
}
