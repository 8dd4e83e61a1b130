import {
  type ConfigurationFile,
  copiedHeaders,
  eachLine,
  foldedSpellings,
  identityHeaders,
  indented,
  pathHeaders,
  type Setup,
} from './setup.ts';

const exact = (names: readonly string[]) => eachLine(names, (name) => `- exact: ${name.toLowerCase()}`);

const asked = [
  ...['cookie', 'authorization', 'accept', 'accept-language', 'user-agent', 'upgrade', 'x-requested-with'],
  ...['sec-fetch-mode', 'sec-fetch-site', 'x-forwarded-for', 'x-forwarded-proto'],
];

const cluster = (name: string, address: string) => {
  const [host, port = '80'] = address.split(':');
  return `- name: ${name}
  type: STRICT_DNS
  load_assignment:
    cluster_name: ${name}
    endpoints:
      - lb_endpoints:
          - endpoint: { address: { socket_address: { address: ${host}, port_value: ${port} } } }`;
};

const withoutCheck = `typed_per_filter_config:
  envoy.filters.http.ext_authz:
    "@type": type.googleapis.com/envoy.extensions.filters.http.ext_authz.v3.ExtAuthzPerRoute
    disabled: true`;

/** The listener and clusters of a static configuration; TLS goes into its filter chain as for any other listener. */
export function envoy(setup: Setup): ConfigurationFile[] {
  const { application, signIn, gatehouse, upstream, mode } = setup;
  const isProxy = mode === 'proxy';
  const toGatehouse = `- match: { prefix: ${isProxy ? '/' : '/outpost.gatehouse/'} }
  route: { cluster: gatehouse${isProxy ? ', timeout: 0s, upgrade_configs: [{ upgrade_type: websocket }]' : ''} }${isProxy ? '' : `\n${indented(withoutCheck, '  ')}`}`;
  const noAnswers = `# The answers to checks are for proxies alone.
- match: { prefix: /outpost.gatehouse/auth/ }
  direct_response: { status: 404 }`;
  const toApplication = `- match: { prefix: / }
  route: { cluster: application, timeout: 0s, upgrade_configs: [{ upgrade_type: websocket }] }`;
  // With the port, which the client chooses: another provider may have the same name with another one.
  const domainsOf = ({ host, hostname, port, protocol }: URL) =>
    port === '' ? [hostname, `${hostname}:${protocol === 'https:' ? 443 : 80}`] : [host];
  const virtualHost = (url: URL, routes: readonly string[]) => `- name: ${url.hostname.replaceAll('.', '-')}
  domains: [${domainsOf(url)
    .map((domain) => `"${domain}"`)
    .join(', ')}]
  routes:
${indented(routes.join('\n'), '    ')}`;
  const hosts = [
    virtualHost(application, isProxy ? [toGatehouse] : [noAnswers, toGatehouse, toApplication]),
    ...(signIn ? [virtualHost(signIn, [noAnswers, toGatehouse])] : []),
  ];
  const check = `- name: envoy.filters.http.ext_authz
  typed_config:
    "@type": type.googleapis.com/envoy.extensions.filters.http.ext_authz.v3.ExtAuthz
    # Nothing passes while Gatehouse does not answer.
    failure_mode_allow: false
    http_service:
      path_prefix: /outpost.gatehouse/auth/envoy
      server_uri: { uri: http://${gatehouse}, cluster: gatehouse, timeout: 10s }
      authorization_response:
        allowed_upstream_headers:
          patterns:
${indented(exact(copiedHeaders), '            ')}
        allowed_client_headers:
          patterns:
${indented(exact(['location', 'content-type', 'www-authenticate', 'cache-control', 'set-cookie']), '            ')}
    allowed_headers:
      patterns:
${indented(exact(asked), '        ')}
        # Gatehouse refuses what could be taken for its headers.
        - safe_regex: { regex: "(x[^a-z0-9]gatehouse|remote)[^a-z0-9].*" }
`;
  const clear = `# Only Gatehouse says who the user is. Applications behind CGI take "_" for "-".
early_header_mutation_extensions:
  - name: envoy.http.early_header_mutation.header_mutation
    typed_config:
      "@type": type.googleapis.com/envoy.extensions.http.early_header_mutation.header_mutation.v3.HeaderMutation
      mutations:
${eachLine([...identityHeaders, ...identityHeaders.flatMap(foldedSpellings), ...pathHeaders], (name) => `        - remove: ${name.toLowerCase()}`)}
`;
  const text = `listeners:
  - name: public
    address: { socket_address: { address: 0.0.0.0, port_value: ${application.port || (application.protocol === 'https:' ? 443 : 80)} } }
    filter_chains:
      - filters:
          - name: envoy.filters.network.http_connection_manager
            typed_config:
              "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
              stat_prefix: public
              use_remote_address: true
              common_http_protocol_options: { headers_with_underscores_action: DROP_HEADER }
              # A path reaches the application in the form that was checked.
              normalize_path: true
              merge_slashes: true
              path_with_escaped_slashes_action: REJECT_REQUEST
${isProxy ? '' : indented(clear, '              ')}              route_config:
                virtual_hosts:
${indented(hosts.join('\n'), '                  ')}
              http_filters:
${isProxy ? '' : indented(check, '                ')}                - name: envoy.filters.http.router
                  typed_config:
                    "@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router
clusters:
${indented([cluster('gatehouse', gatehouse), ...(isProxy ? [] : [cluster('application', upstream)])].join('\n'), '  ')}
`;
  return [{ name: 'static_resources', text }];
}
