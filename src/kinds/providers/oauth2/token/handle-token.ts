import { applicationTarget, switchedOff } from '../../../../core/application/application-access.ts';
import { cachedUserFacts, type UserFacts } from '../../../../core/mapping/user-facts.ts';
import { policyRequest } from '../../../../policy/request.ts';
import type { Call } from '../../../../resource/call.ts';
import { type Client, scopeNames } from '../client.ts';
import { type AuthenticatedClient, authenticateClient } from '../client-authentication.ts';
import type { OAuthDependencies } from '../dependencies.ts';
import { readDpopProof } from '../dpop.ts';
import { authorizedEvent, callAs, suspiciousEvent } from '../events.ts';
import { type GrantTerms, revokeFamily } from '../grants.ts';
import { prepareTokens } from '../issue.ts';
import { OAuthError, type OAuthErrorCode } from '../oauth-error.ts';
import type { OAuthEndpoint, OAuthResponse } from '../oauth-request.ts';
import { type Params, words } from '../params.ts';
import { checkResource, targetClients } from '../resource-indicators.ts';
import { isFapi2 } from '../security-profile.ts';
import { type GrantKind, GrantReused, type Redeemed, type Redemption } from './grant-kind.ts';

/**
 * The token endpoint (RFC 6749 §3.2). All grants share one pipeline: the client authenticates, the grant is verified,
 * and scope, resource, user and access policies are checked here, so that no grant can omit a check (privilege
 * escalation).
 */
export function tokenEndpoint(needs: OAuthDependencies, kinds: readonly GrantKind[]): OAuthEndpoint {
  const byType = new Map<string, GrantKind>(kinds.map((kind) => [kind.grantType, kind]));
  return async (exchange) => {
    const { call, params } = exchange;
    const kind = byType.get(params.require('grant_type'));
    if (!kind) throw new OAuthError('unsupported_grant_type', 'Unsupported grant_type.');
    const by = await authenticateClient(needs, exchange);
    checkMayUse(kind, by);
    const jkt = await readDpopProof(needs, call, by);
    // FAPI 2.0 Security Profile §5.3.2.1: all tokens are sender-constrained.
    if (jkt === null && isFapi2(by.client)) {
      throw new OAuthError('invalid_dpop_proof', 'This client must send a DPoP proof.');
    }
    const redemption: Redemption = { needs, call, params, by, jkt };
    try {
      return await redeem(redemption, kind);
    } catch (error) {
      if (!(error instanceof GrantReused)) throw error;
      await revokeReused(call, by.client, kind, error.family);
      throw new OAuthError('invalid_grant', 'The grant was already used; all its tokens have been revoked.');
    }
  };
}

async function redeem(redemption: Redemption, kind: GrantKind): Promise<OAuthResponse> {
  const { needs, call, params, by, jkt } = redemption;
  const { client } = by;
  const grant = await kind.redeem(redemption);
  const configured = scopeNames(client);
  const granted = grant.scope.default.filter((name) => configured.has(name));
  const scope = scopeOf(params, grant, granted, configured);
  const terms = termsOf(params, client, grant, jkt);
  const user = await loadActiveUser(call, grant.user);
  const { actor } = grant;
  for (const target of [client, ...(await targetClients(needs, client, terms.resource))]) {
    for (const one of actor ? [user, actor] : [user]) await checkAccess(needs, call, target, one, kind.deniedAs);
  }
  const tokens = await prepareTokens(needs, call, {
    ...grant,
    client,
    user,
    scope,
    terms,
    refreshes: { scope: granted, terms: grant.terms },
    gives: {
      access: true,
      id: grant.gives.id && scope.includes('openid'),
      refresh:
        grant.gives.refresh && granted.includes('offline_access') && client.grant_types.includes('refresh_token'),
    },
  });
  await call.db.write(async (tx) => {
    await grant.consume(tx);
    await tokens.store(tx);
    if (!kind.isAuthorization) return;
    const event = authorizedEvent(client, { scope, grantType: kind.grantType, actor });
    await call.world.record(tx, callAs(call, user), event);
  });
  return { status: 200, body: { ...tokens.body, ...grant.says } };
}

function checkMayUse({ grantType, takesWorkloads = false }: GrantKind, { client, method }: AuthenticatedClient): void {
  if (!client.grant_types.includes(grantType)) {
    throw new OAuthError('unauthorized_client', 'The client may not use this grant type.');
  }
  if (method === 'workload' && !takesWorkloads) {
    throw new OAuthError('invalid_client', 'Workloads may not use this grant type.');
  }
}

/** Never more than was granted, nor than the provider allows now (scope escalation). */
function scopeOf(
  params: Params,
  { scope }: Redeemed,
  granted: readonly string[],
  configured: ReadonlySet<string>,
): readonly string[] {
  const asked = words(params.get('scope'));
  if (asked.length === 0) return granted;
  const excess = asked.filter((name) => !scope.allowed.has(name) || !configured.has(name));
  if (excess.length > 0) throw new OAuthError('invalid_scope', `Not granted: ${excess.join(' ').slice(0, 200)}`);
  return asked;
}

function termsOf(params: Params, client: Client, { terms }: Redeemed, jkt: string | null): GrantTerms {
  const { jkt: bound, ...rest } = terms;
  if (bound !== undefined && bound !== jkt) {
    throw new OAuthError('invalid_dpop_proof', 'The DPoP proof does not match the key that the grant is bound to.');
  }
  const resource = checkResource(params.all('resource'), client, terms.resource);
  return { ...rest, ...(resource.length > 0 && { resource }), ...(jkt !== null && { jkt }) };
}

async function loadActiveUser(call: Call, pk: number): Promise<UserFacts> {
  const user = await cachedUserFacts(call, pk);
  if (!user?.is_active) throw new OAuthError('invalid_grant', 'The user is not allowed to sign in.');
  return user;
}

/** The policies of the application are evaluated at every use, not only at authorization. */
async function checkAccess(
  { policies, refusals }: OAuthDependencies,
  call: Call,
  client: Client,
  user: UserFacts,
  deniedAs: OAuthErrorCode = 'invalid_grant',
): Promise<void> {
  const { pk, mode, facts, isOn } = applicationTarget(client.application);
  const request = policyRequest(call, { user, obj: facts });
  const answer = isOn ? await policies.evaluateTarget({ call, request, targetPk: pk, mode }) : switchedOff;
  if (answer.passing) return;
  await refusals.denied(callAs(call, user), client, answer);
  throw new OAuthError(deniedAs, isOn ? 'The user may not use the application.' : 'The application is disabled.');
}

async function revokeReused(call: Call, client: Client, kind: GrantKind, family: string): Promise<void> {
  await call.db.write(async (tx) => {
    await revokeFamily(call.db, tx, family);
    await call.world.record(tx, call, suspiciousEvent(client, kind.grantType));
  });
}
