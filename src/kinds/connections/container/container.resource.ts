import { certificateModel } from '../../../core/key/certificate-model.ts';
import { defineConnection } from '../../../core/outpost/service-connection.family.ts';
import { ref } from '../../../resource/fields/ref.ts';
import { text } from '../../../resource/fields/text.ts';
import { socketOf } from './engine-address.ts';

/** A container engine with the Docker API, on this machine or another. */
export const containerConnection = defineConnection({
  path: '/outposts/service_connections/container/',
  model: 'svc_outposts.containerserviceconnection',
  schema: 'ContainerServiceConnection',
  names: ['Container Service-Connection', 'Container Service-Connections'],
  labels: ['Container service connection', 'Container service connections'],
  component: 'xak-service-connection-container-form',
  description: 'Reach a container engine through its local socket or over TLS.',
  table: 'connection_container',
  // No range of addresses guards sockets, and any program of this machine may listen on one.
  check({ call: { actor }, values, current }) {
    const socket = socketOf(values);
    const isOpen = !actor || actor.isSuperuser || socket === null || (current !== null && socketOf(current) === socket);
    return isOpen ? null : { url: ['Only superusers have the server open a socket of its own machine.'] };
  },
  fields: {
    url: text({
      filter: true,
      help: 'Where the engine listens: unix:///var/run/docker.sock on this machine, https://<host>:2376 elsewhere.',
    }),
    tls_verification: ref(certificateModel, 'uuid', {
      nullable: true,
      needs: 'use',
      filter: true,
      help: 'The authority that must have signed the engine’s certificate; empty accepts any.',
    }),
    tls_authentication: ref(certificateModel, 'uuid', {
      nullable: true,
      needs: 'use',
      filter: true,
      help: 'The client certificate for the engine; none if empty.',
    }),
  },
});
