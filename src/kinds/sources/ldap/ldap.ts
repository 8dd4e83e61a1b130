import { parseCidrs } from '../../../lib/cidr.ts';
import type { Config } from '../../../platform/config.ts';
import type { Jobs } from '../../../platform/jobs/job.ts';
import type { Passwords } from '../../../platform/passwords.ts';
import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';
import type { SourceKind } from '../../../source/source-kind.ts';
import { createAwayServers } from './client/directory.ts';
import { ldapDemo } from './demo.ts';
import { ldapSource } from './ldap.resource.ts';
import { groupLdapConnection, userLdapConnection } from './ldap-connections.resource.ts';
import { ldapSourceMapping } from './ldap-mapping.resource.ts';
import type { LdapSource } from './ldap-model.ts';
import { ldapPasswords } from './passwords/password-backend.ts';
import { ldapSyncJobs } from './sync/sync.jobs.ts';

interface LdapSourceNeeds {
  readonly config: Pick<Config, 'outboundAllow'>;
  readonly passwords: Passwords;
  readonly sandbox: Sandbox;
  jobs(): Jobs;
}

/** Users and groups of an LDAP directory, such as OpenLDAP or Active Directory. */
export function ldapDirectory({ config, passwords, sandbox, jobs }: LdapSourceNeeds): SourceKind<LdapSource> {
  const needs = { sandbox, jobs, passwords, allow: parseCidrs(config.outboundAllow), away: createAwayServers() };
  const resource = ldapSource(needs);
  return {
    resource,
    passwords: ldapPasswords({ ...needs, resource }),
    resources: [userLdapConnection, groupLdapConnection, ldapSourceMapping(needs)],
    jobs: (server) => ldapSyncJobs(needs, server),
    uncachedTables: ['user_connection_ldap', 'ldap_entries', 'ldap_members', 'ldap_runs'],
    demo: ldapDemo,
  };
}
