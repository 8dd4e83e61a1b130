import {
  type ConfigurationFile,
  copiedHeaders,
  eachLine,
  foldedSpellings,
  identityHeaders,
  indented,
  isSecure,
  pathHeaders,
  type Setup,
} from './setup.ts';

const nameOf = (url: URL) => url.hostname.replaceAll('.', '-');

/**
 * What client-sent headers could be taken for ours, or name another path than the checked one: those that the check
 * sets are replaced anyway.
 */
const cleared = [...identityHeaders.flatMap(foldedSpellings), ...pathHeaders];

/** What Gatehouse serves itself. The answers to checks are for Traefik alone. */
const ownPath = 'PathPrefix(`/outpost.gatehouse/`) && !PathPrefix(`/outpost.gatehouse/auth/`)';

/** A file of the file provider. */
export function traefikFile(setup: Setup): ConfigurationFile[] {
  const { application, signIn, gatehouse, upstream, mode } = setup;
  const name = nameOf(application);
  const router = (id: string, rule: string, service: string, more = '') => `${id}:
  rule: ${rule}
  service: ${service}
  entryPoints: [${isSecure(application) ? 'websecure' : 'web'}]${isSecure(application) ? '\n  tls: {}' : ''}${more}`;
  const gatehouseService = `gatehouse:
  loadBalancer:
    servers:
      - url: http://${gatehouse}`;
  const host = (url: URL) => `Host(\`${url.hostname}\`)`;
  if (mode === 'proxy') {
    const text = `http:
  routers:
${indented(router(name, host(application), 'gatehouse'), '    ')}
  services:
${indented(gatehouseService, '    ')}
`;
    return [{ name: 'gatehouse.yaml', text }];
  }
  const routers = [
    router(name, host(application), name, `\n  middlewares: [${name}-request, gatehouse]`),
    `# Sign-in, callback and sign-out: Gatehouse itself.\n${router(`${name}-gatehouse`, `${host(application)} && ${ownPath}`, 'gatehouse')}`,
    ...(signIn ? [router(`${nameOf(signIn)}-gatehouse`, `${host(signIn)} && ${ownPath}`, 'gatehouse')] : []),
  ];
  const text = `http:
  routers:
${indented(routers.join('\n'), '    ')}
  middlewares:
    gatehouse:
      forwardAuth:
        address: http://${gatehouse}/outpost.gatehouse/auth/traefik
        # Replaces these headers, whatever the client has sent.
        authResponseHeaders:
${eachLine(copiedHeaders, (header) => `          - ${header}`)}
    # The name of this application, never what the client claims: it chooses the port, for one.
    # Applications behind CGI take the others for the same names, or read another path from them; Traefik removes them.
    ${name}-request:
      headers:
        customRequestHeaders:
          Host: ${application.host}
${eachLine(cleared, (header) => `          ${header}: ""`)}
  services:
${indented(gatehouseService, '    ')}
    ${name}:
      loadBalancer:
        servers:
          - url: http://${upstream}
`;
  return [{ name: 'gatehouse.yaml', text }];
}

/** Labels of a container, for Docker Compose. */
export function traefikLabels(setup: Setup): ConfigurationFile[] {
  const { application, signIn, gatehouse, upstream, mode } = setup;
  const name = nameOf(application);
  const entry = (id: string) => [
    `traefik.http.routers.${id}.entrypoints=${isSecure(application) ? 'websecure' : 'web'}`,
    ...(isSecure(application) ? [`traefik.http.routers.${id}.tls=true`] : []),
  ];
  const rule = (id: string, url: URL, more = '') => `traefik.http.routers.${id}.rule=Host(\`${url.hostname}\`)${more}`;
  const own = (id: string, url: URL) => [
    rule(id, url, mode === 'proxy' ? '' : ` && ${ownPath}`),
    `traefik.http.routers.${id}.service=gatehouse`,
    ...entry(id),
  ];
  const ofGatehouse = [
    `traefik.http.services.gatehouse.loadbalancer.server.port=${gatehouse.split(':')[1] ?? '80'}`,
    ...own(`${name}-gatehouse`, application),
    ...(signIn ? own(`${nameOf(signIn)}-gatehouse`, signIn) : []),
    ...(mode === 'proxy'
      ? []
      : [
          `traefik.http.middlewares.gatehouse.forwardauth.address=http://${gatehouse}/outpost.gatehouse/auth/traefik`,
          `traefik.http.middlewares.gatehouse.forwardauth.authResponseHeaders=${copiedHeaders.join(',')}`,
          `traefik.http.middlewares.${name}-request.headers.customrequestheaders.Host=${application.host}`,
          ...cleared.map(
            (header) => `traefik.http.middlewares.${name}-request.headers.customrequestheaders.${header}=`,
          ),
        ]),
  ];
  const ofApplication = [
    rule(name, application),
    `traefik.http.routers.${name}.middlewares=${name}-request,gatehouse`,
    ...entry(name),
    `traefik.http.services.${name}.loadbalancer.server.port=${upstream.split(':')[1] ?? '80'}`,
  ];
  const text = (service: string, labels: readonly string[]) => `services:
  ${service}:
    labels:
      - traefik.enable=true
${eachLine(labels, (label) => `      - ${label}`)}
`;
  return [
    { name: 'compose.yaml: gatehouse', text: text('gatehouse', ofGatehouse) },
    ...(mode === 'proxy' ? [] : [{ name: 'compose.yaml: application', text: text('application', ofApplication) }]),
  ];
}
