import type { RouteServer } from '../../../flow/protocol-kind.ts';
import type { Response } from '../../../lib/radius/packet.ts';
import type { Config } from '../../../platform/config.ts';
import type { InstanceKey } from '../../../platform/keys.ts';
import type { Log } from '../../../platform/log.ts';
import type { Passwords } from '../../../platform/passwords.ts';
import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';
import type { PolicyEngine } from '../../../policy/engine.ts';
import { createEvaluateAccess } from '../../../provider/application-access.ts';
import { createDenials } from '../../../provider/authorize/denials.ts';
import type { ServerNeeds } from '../../../provider/password-server/server-needs.ts';
import type { ProviderKind } from '../../../provider/provider-kind.ts';
import { radiusAccessEndpoint } from './check-access.endpoint.ts';
import { radiusDemo } from './demo.ts';
import { answerEap, isEap } from './eap/answer-eap.ts';
import { createEapSessions } from './eap/sessions.ts';
import { radiusOutpostConfig, radiusProvider } from './radius.resource.ts';
import { radiusMapping } from './radius-mapping.resource.ts';
import { radiusApp } from './radius-model.ts';
import { createConnections } from './radsec/connections.ts';
import { createRadSecListener } from './radsec/listener.ts';
import { answerPap } from './server/answer.ts';
import { createClients } from './server/clients.ts';
import { type Complain, createComplaints } from './server/complaints.ts';
import { createListener } from './server/listener.ts';
import type { RadiusCall } from './server/radius-call.ts';
import { relayedStreams } from './server/relayed-streams.ts';
import { createRequests } from './server/requests.ts';

interface RadiusProviderNeeds {
  readonly config: Pick<Config, 'radius'>;
  readonly log: Log;
  readonly installId: string;
  readonly passwords: Passwords;
  readonly key: InstanceKey;
  readonly policies: PolicyEngine;
  readonly sandbox: Sandbox;
}

/** Networks and devices that authenticate users by RADIUS. */
export const radius = (needs: RadiusProviderNeeds): ProviderKind => ({
  resource: radiusProvider(),
  endpoints: [
    radiusAccessEndpoint({
      box: needs.key.box,
      sandbox: needs.sandbox,
      evaluate: createEvaluateAccess(needs.policies),
    }),
  ],
  outpost: 'radius',
  resources: [radiusMapping(needs), radiusOutpostConfig()],
  streams(server) {
    const common = servingBy(needs, server);
    return relayedStreams(({ outpost, isAllowed }) => {
      const { serving, clients, answer } = serve(common, outpost);
      return createRequests(serving, clients, async (request) => ((await isAllowed()) ? answer(request) : null));
    });
  },
  listeners(server) {
    const { host, port, tlsPort } = needs.config.radius;
    if (port === null && tlsPort === null) return [];
    const { serving, clients, answer } = serve(servingBy(needs, server), null);
    const requests = createRequests(serving, clients, answer);
    // Clients of its own, so that a flood of datagrams does not keep those of RadSec waiting.
    const connections = createConnections({ ...serving, requests, clients: createClients(serving.db, needs.key.box) });
    return [
      ...(port === null ? [] : [createListener(requests, needs.log, { host, port })]),
      ...(tlsPort === null ? [] : [createRadSecListener(connections, { host, port: tlsPort })]),
    ];
  },
  demo: radiusDemo,
});

const servingBy = (needs: RadiusProviderNeeds, server: RouteServer) => ({
  ...{ ...needs, ...server },
  ...{ complain: createComplaints(needs.log), denied: createDenials(server.db, radiusApp) },
});

/** What answers the requests that come to an outpost, or to this server where it is null. */
function serve(
  serving: ServerNeeds & Pick<RouteServer, 'metrics'> & { readonly complain: Complain },
  outpost: string | null,
) {
  const eap = { ...serving, sessions: createEapSessions() };
  const answer = (request: RadiusCall): Promise<Response> =>
    isEap(request) ? answerEap(eap, request) : answerPap(serving, request);
  return { serving, clients: createClients(serving.db, serving.key.box, outpost), answer };
}
