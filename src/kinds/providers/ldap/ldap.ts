import type { PolicyEngine } from '../../../policy/engine.ts';
import { createEvaluateAccess } from '../../../provider/application-access.ts';
import type { ProviderKind } from '../../../provider/provider-kind.ts';
import { ldapAccessEndpoint } from './check-access.endpoint.ts';
import { ldapDemo } from './demo.ts';
import { ldapOutpostConfig, ldapProvider } from './ldap.resource.ts';

interface Needs {
  readonly policies: PolicyEngine;
}

/** A directory for applications that know people by LDAP alone. */
export const ldap = ({ policies }: Needs): ProviderKind => ({
  resource: ldapProvider(),
  endpoints: [ldapAccessEndpoint(createEvaluateAccess(policies))],
  outpost: 'ldap',
  resources: [ldapOutpostConfig()],
  demo: ldapDemo,
});
