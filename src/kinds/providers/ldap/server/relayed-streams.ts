import { createLruCache } from '../../../../lib/lru-cache.ts';
import type { OutpostStreams } from '../../../../provider/outpost/outpost-streams.ts';
import type { ServerNeeds } from '../../../../provider/password-server/server-needs.ts';
import type { Operations } from './client.ts';
import { limits } from './limits.ts';
import { type Connections, createConnections } from './listener.ts';
import type { TlsContexts } from './tls-contexts.ts';

const maxOutposts = 200;
/** Idle connections give way to new ones only if those get this far. */
const spare = 50;

/**
 * Serves the connections of outposts, each of which a stream carries as the client sent it: TLS ends here, so that keys
 * stay here. Each outpost has the limits of a server of its own.
 */
export function relayedStreams(needs: ServerNeeds, operations: Operations, tls: TlsContexts): OutpostStreams {
  const known = createLruCache<Connections>(maxOutposts);
  function connectionsOf(outpost: string): Connections {
    const connections = known.get(outpost) ?? createConnections(needs, operations, tls, outpost);
    known.set(outpost, connections);
    return connections;
  }
  return {
    max: limits.connections + spare,
    accept({ outpost, socket, ...arrival }) {
      socket.pause();
      connectionsOf(outpost).accept(socket, arrival);
    },
  };
}
