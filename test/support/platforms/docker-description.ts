import { type ApiDescription, boolean, closed, integer, listOf, mapOf, oneOf, refTo, text } from './api-description.ts';

const flag = oneOf('true', 'false', '1', '0');
const seconds = { type: 'string', pattern: '^\\d+$' };
const errors = [400, 404, 409, 500];

/** A part of the description of the Docker Engine API, version 1.44. */
export const dockerDescription: ApiDescription = {
  operations: {
    'GET /version': { statuses: [200, 500] },
    'GET /containers/json': {
      query: { all: flag, limit: seconds, size: flag, filters: text },
      statuses: [200, 400, 500],
    },
    'POST /containers/create': {
      query: { name: { type: 'string', pattern: '^/?[a-zA-Z0-9][a-zA-Z0-9_.-]+$' }, platform: text },
      body: refTo('ContainerCreate'),
      statuses: [201, ...errors],
    },
    'GET /containers/{id}/json': { query: { size: flag }, statuses: [200, 404, 500] },
    'POST /containers/{id}/start': { query: { detachKeys: text }, statuses: [204, 304, 404, 500] },
    'POST /containers/{id}/stop': { query: { t: seconds, signal: text }, statuses: [204, 304, 404, 500] },
    'POST /containers/{id}/restart': { query: { t: seconds, signal: text }, statuses: [204, 404, 500] },
    'POST /containers/{id}/rename': { query: { name: text }, requiredQuery: ['name'], statuses: [204, 404, 409, 500] },
    'DELETE /containers/{id}': { query: { v: flag, force: flag, link: flag }, statuses: [204, ...errors] },
    'GET /images/{name}/json': { statuses: [200, 404, 500] },
    'POST /images/create': {
      query: { fromImage: text, fromSrc: text, repo: text, tag: text, message: text, platform: text },
      statuses: [200, 404, 500],
    },
  },
  definitions: {
    ContainerCreate: closed({
      ...{ Hostname: text, Domainname: text, User: text, WorkingDir: text, MacAddress: text, StopSignal: text },
      ...{ AttachStdin: boolean, AttachStdout: boolean, AttachStderr: boolean, Tty: boolean, OpenStdin: boolean },
      ...{ StdinOnce: boolean, NetworkDisabled: boolean, StopTimeout: integer },
      ExposedPorts: {
        type: 'object',
        patternProperties: { '^\\d+/(tcp|udp|sctp)$': { const: {} } },
        additionalProperties: false,
      },
      Env: listOf({ type: 'string', pattern: '^[^=]+=' }),
      Cmd: listOf(text),
      Entrypoint: listOf(text),
      Image: text,
      Volumes: mapOf({ const: {} }),
      Labels: mapOf(text),
      HostConfig: refTo('HostConfig'),
      NetworkingConfig: closed({ EndpointsConfig: mapOf({ type: 'object' }) }),
    }),
    HostConfig: closed({
      Binds: listOf(text),
      NetworkMode: text,
      PortBindings: {
        type: 'object',
        patternProperties: { '^\\d+/(tcp|udp|sctp)$': listOf(closed({ HostIp: text, HostPort: text })) },
        additionalProperties: false,
      },
      RestartPolicy: closed({
        Name: oneOf('', 'no', 'always', 'unless-stopped', 'on-failure'),
        MaximumRetryCount: integer,
      }),
      ...{ AutoRemove: boolean, Privileged: boolean, PublishAllPorts: boolean, ReadonlyRootfs: boolean, Init: boolean },
      ...{
        CapAdd: listOf(text),
        CapDrop: listOf(text),
        SecurityOpt: listOf(text),
        Tmpfs: mapOf(text),
        Memory: integer,
      },
    }),
  },
};
