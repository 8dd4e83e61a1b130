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
import { groupsAndGrants } from './0026-groups-and-grants.ts';
import { accounts } from './0027-accounts.ts';
import { flowsAndApplications } from './0028-flows-and-applications.ts';
import { sources } from './0029-sources.ts';
import { oauth2 } from './0030-oauth2.ts';
import { saml } from './0031-saml.ts';
import { outgoingSync } from './0032-outgoing-sync.ts';
import { outposts } from './0033-outposts.ts';
import { lists } from './0034-lists.ts';
import { sessions } from './0035-sessions.ts';
import { ldapSource } from './0140-ldap-source.ts';
import { ldapRuns } from './0141-ldap-runs.ts';
import { radiusProvider } from './0150-radius-provider.ts';
import { radiusCertificates } from './0151-radius-certificates.ts';
import { brandBackground } from './0165-brand-background.ts';
import { outpostProcesses } from './0175-outpost-processes.ts';
import { radsec } from './0180-radsec.ts';
import { outpostDeployments } from './0190-outpost-deployments.ts';
import { serverSettings } from './0200-server-settings.ts';
import { savedViews } from './0210-saved-views.ts';
import { accessRequests } from './0220-access-requests.ts';
import { proxyWorkloads } from './0230-proxy-workloads.ts';
import { eventMessages } from './0240-event-messages.ts';

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
  groupsAndGrants,
  accounts,
  flowsAndApplications,
  sources,
  oauth2,
  saml,
  outgoingSync,
  outposts,
  lists,
  sessions,
  radiusProvider,
  radiusCertificates,
  brandBackground,
  outpostProcesses,
  ldapSource,
  ldapRuns,
  radsec,
  serverSettings,
  outpostDeployments,
  savedViews,
  accessRequests,
  proxyWorkloads,
  eventMessages,
];
