import type { Migration } from '../migrate.ts';
import { directory } from './0001-directory.ts';
import { families } from './0002-families.ts';
import { policyKinds } from './0003-policies.ts';
import { eventKinds } from './0004-events.ts';
import { stageKinds } from './0005-stages.ts';
import { sourceKinds } from './0006-sources.ts';
import { providerKinds } from './0007-providers.ts';
import { jobs } from './0010-jobs.ts';
import { actingStages } from './0011-acting-stages.ts';
import { decidingPolicies } from './0012-deciding-policies.ts';
import { devices } from './0013-devices.ts';
import { secondFactors } from './0014-second-factors.ts';
import { linksByMail } from './0015-links-by-mail.ts';
import { oauth2Logins } from './0018-oauth2-logins.ts';
import { clientKeys } from './0019-client-keys.ts';
import { namesWithoutCase } from './0020-names-without-case.ts';
import { invitationTokens } from './0021-invitation-tokens.ts';
import { sharedCounts } from './0022-shared-counts.ts';
import { stamps } from './0023-stamps.ts';
import { scimServer } from './0024-scim-server.ts';
import { oauthSignIns } from './0025-oauth-sign-ins.ts';
import { userPrincipalNames } from './0026-user-principal-names.ts';
import { groupAncestors } from './0027-group-ancestors.ts';
import { samlProvider } from './0028-saml-provider.ts';
import { outgoingSync } from './0029-outgoing-sync.ts';
import { samlSignIns } from './0030-saml-sign-ins.ts';
import { authorizationRequests } from './0031-authorization-requests.ts';
import { samlLogouts } from './0032-saml-logouts.ts';
import { distinguishedNames } from './0033-distinguished-names.ts';
import { sourceTokens } from './0034-source-tokens.ts';
import { overview } from './0035-overview.ts';
import { applicationsOff } from './0036-applications-off.ts';
import { fewerIndexes } from './0038-fewer-indexes.ts';
import { indexesOnce } from './0040-indexes-once.ts';
import { recentAuthentication } from './0050-recent-authentication.ts';
import { flowsOff } from './0052-flows-off.ts';
import { provenAddresses } from './0054-proven-addresses.ts';
import { nameKeys } from './0055-name-keys.ts';
import { scimPrivileged } from './0060-scim-privileged.ts';
import { oauth2Targets } from './0061-oauth2-targets.ts';
import { syncDestinations } from './0062-sync-destinations.ts';
import { oauthSourceSessions } from './0064-oauth-source-sessions.ts';
import { signedRequests } from './0065-signed-requests.ts';
import { outgoingJobs } from './0068-outgoing-jobs.ts';
import { ownSigningKeys } from './0070-own-signing-key.ts';
import { deletions } from './0077-deletions.ts';
import { outposts } from './0080-outposts.ts';
import { proxyProvider } from './0081-proxy-provider.ts';
import { previousClientSecrets } from './0093-previous-client-secrets.ts';
import { rowsOfSites } from './0100-rows-of-sites.ts';
import { foldedPrincipalNames } from './0101-folded-principal-names.ts';
import { invalidationFlows } from './0103-invalidation-flows.ts';
import { orderOfReferences } from './0104-order-of-references.ts';
import { keysOfGlobalGrants } from './0105-keys-of-global-grants.ts';
import { oauth2ProviderDeletions } from './0108-oauth2-provider-deletions.ts';
import { eventRollup } from './0110-event-rollup.ts';
import { ldapProvider } from './0115-ldap-provider.ts';
import { groupNumbers } from './0116-group-numbers.ts';
import { appPasswordScope } from './0117-app-password-scope.ts';
import { proxySessions } from './0120-proxy-sessions.ts';
import { proxyTests } from './0121-proxy-tests.ts';

/** The schema's history, in order. A step is never changed once released; a change is a new step. */
export const migrations: readonly Migration[] = [
  directory,
  families,
  policyKinds,
  eventKinds,
  stageKinds,
  sourceKinds,
  providerKinds,
  jobs,
  actingStages,
  decidingPolicies,
  devices,
  secondFactors,
  linksByMail,
  oauth2Logins,
  clientKeys,
  namesWithoutCase,
  invitationTokens,
  sharedCounts,
  stamps,
  scimServer,
  oauthSignIns,
  userPrincipalNames,
  groupAncestors,
  samlProvider,
  outgoingSync,
  samlSignIns,
  authorizationRequests,
  samlLogouts,
  distinguishedNames,
  sourceTokens,
  overview,
  applicationsOff,
  fewerIndexes,
  indexesOnce,
  recentAuthentication,
  flowsOff,
  provenAddresses,
  nameKeys,
  scimPrivileged,
  oauth2Targets,
  syncDestinations,
  oauthSourceSessions,
  signedRequests,
  outgoingJobs,
  ownSigningKeys,
  deletions,
  previousClientSecrets,
  outposts,
  proxyProvider,
  invalidationFlows,
  ldapProvider,
  proxySessions,
  orderOfReferences,
  keysOfGlobalGrants,
  rowsOfSites,
  oauth2ProviderDeletions,
  foldedPrincipalNames,
  groupNumbers,
  appPasswordScope,
  eventRollup,
  proxyTests,
];
