import type { RouteServer } from '../../../flow/protocol-kind.ts';
import type { Config } from '../../../platform/config.ts';
import type { InstanceKey } from '../../../platform/keys.ts';
import type { Log } from '../../../platform/log.ts';
import type { Passwords } from '../../../platform/passwords.ts';
import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';
import type { PolicyEngine } from '../../../policy/engine.ts';
import { createEvaluateAccess } from '../../../provider/application-access.ts';
import { createDenials } from '../../../provider/authorize/denials.ts';
import type { ProviderKind } from '../../../provider/provider-kind.ts';
import { ldapAccessEndpoint } from './check-access.endpoint.ts';
import { ldapDemo } from './demo.ts';
import { ldapOutpostConfig, ldapProvider } from './ldap.resource.ts';
import { ldapApp } from './ldap-model.ts';
import { createConnections, createListener } from './server/listener.ts';
import { createOperations } from './server/operations.ts';
import { relayedStreams } from './server/relayed-streams.ts';
import { createTlsContexts } from './server/tls-contexts.ts';

interface LdapProviderNeeds {
  readonly config: Pick<Config, 'ldap'>;
  readonly key: InstanceKey;
  readonly log: Log;
  readonly installId: string;
  readonly passwords: Passwords;
  readonly policies: PolicyEngine;
  readonly sandbox: Sandbox;
  readonly version: string;
}

const servingBy = (needs: LdapProviderNeeds, server: RouteServer) => ({
  ...{ ...needs, ...server },
  denied: createDenials(server.db, ldapApp),
});

/** A directory for applications that know people by LDAP alone. */
export const ldap = (needs: LdapProviderNeeds): ProviderKind => ({
  resource: ldapProvider(),
  endpoints: [ldapAccessEndpoint(createEvaluateAccess(needs.policies))],
  outpost: 'ldap',
  resources: [ldapOutpostConfig()],
  streams(server) {
    const serving = servingBy(needs, server);
    return relayedStreams(serving, createOperations(serving), createTlsContexts(needs.key.box));
  },
  listeners(server) {
    const { host, port, tlsPort } = needs.config.ldap;
    const serving = servingBy(needs, server);
    const connections = createConnections(serving, createOperations(serving), createTlsContexts(needs.key.box));
    return [
      ...(port === null ? [] : [createListener(connections, { host, port, isTls: false })]),
      ...(tlsPort === null ? [] : [createListener(connections, { host, port: tlsPort, isTls: true })]),
    ];
  },
  demo: ldapDemo,
});
