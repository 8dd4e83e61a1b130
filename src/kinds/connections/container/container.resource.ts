import { certificateModel } from '../../../core/key/certificate-model.ts';
import { defineConnection } from '../../../core/outpost/service-connection.family.ts';
import { ref } from '../../../resource/fields/ref.ts';
import { text } from '../../../resource/fields/text.ts';

/** A container engine with the Docker API, on this machine or another. */
export const containerConnection = defineConnection({
  path: '/outposts/service_connections/container/',
  model: 'svc_outposts.containerserviceconnection',
  schema: 'ContainerServiceConnection',
  names: ['Container Service-Connection', 'Container Service-Connections'],
  component: 'xak-service-connection-container-form',
  description: 'Reach a container engine through its local socket or over TLS.',
  table: 'connection_container',
  fields: {
    url: text({
      filter: true,
      help: 'Can be in the format of unix:///var/run/docker.sock when connecting to a local daemon, or https://<host>:2376 when connecting to a remote system.',
    }),
    tls_verification: ref(certificateModel, 'uuid', {
      nullable: true,
      filter: true,
      help: 'CA which the endpoint’s Certificate is verified against. Can be left empty for no validation.',
    }),
    tls_authentication: ref(certificateModel, 'uuid', {
      nullable: true,
      filter: true,
      help: 'Certificate/Key used for authentication. Can be left empty for no authentication.',
    }),
  },
});
