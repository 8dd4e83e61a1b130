import {
  type ConfigurationFile,
  copiedHeaders,
  eachLine,
  indented,
  isSecure,
  pathHeaders,
  type Setup,
} from './setup.ts';

const variable = (header: string) => `$gatehouse_${header.toLowerCase().replaceAll('-', '_')}`;
const fromCheck = (header: string) => `$upstream_http_${header.toLowerCase().replaceAll('-', '_')}`;

const forwarded = ({ host, protocol }: URL) => `proxy_set_header Host ${host};
proxy_set_header X-Forwarded-Host ${host};
proxy_set_header X-Forwarded-Proto ${protocol.slice(0, -1)};
proxy_set_header X-Forwarded-For $remote_addr;`;

const webSockets = `proxy_http_version 1.1;
proxy_set_header Upgrade $http_upgrade;
proxy_set_header Connection $connection_upgrade;`;

/** For the paths that are Gatehouse's own. */
const ownPaths = ({ gatehouse }: Setup, url: URL) => `# The answers to checks are for proxies alone.
location /outpost.gatehouse/auth/ {
    return 404;
}

# Sign-in, callback and sign-out: Gatehouse itself.
location /outpost.gatehouse/ {
    proxy_pass http://${gatehouse};
${indented(forwarded(url), '    ')}
    proxy_set_header X-Original-URL ${url.origin}$request_uri;
}`;

/** What asks Gatehouse, and where people go who are not signed in. */
function locations(setup: Setup, passing: string): string {
  const { application, gatehouse } = setup;
  return `location / {
    auth_request /outpost.gatehouse/auth/nginx;
    error_page 401 = @gatehouse_sign_in;

    # What Gatehouse says of the user replaces whatever the client has sent; an empty value removes the header.
${indented(
  eachLine(copiedHeaders, (name) => `auth_request_set ${variable(name)} ${fromCheck(name)};`),
  '    ',
)}
${indented(
  eachLine(copiedHeaders, (name) => `proxy_set_header ${name} ${variable(name)};`),
  '    ',
)}
    # No other path than the checked one.
${indented(
  eachLine(pathHeaders, (name) => `proxy_set_header ${name} "";`),
  '    ',
)}

${indented(passing, '    ')}
}

${ownPaths(setup, application)}

# The check itself, which only nginx may request.
location = /outpost.gatehouse/auth/nginx {
    internal;
    proxy_pass http://${gatehouse};
    proxy_pass_request_body off;
    proxy_set_header Content-Length "";
${indented(forwarded(application), '    ')}
    # Always the whole address, with the name of this server: never what the client claims.
    proxy_set_header X-Original-URL ${application.origin}$request_uri;
    proxy_set_header X-Original-Method $request_method;
}

# Pages lead to the sign-in; scripts and programs get a 401 that names its address.
location @gatehouse_sign_in {
    rewrite ^ /outpost.gatehouse/start? break;
    proxy_pass http://${gatehouse};
    proxy_method GET;
    proxy_pass_request_body off;
    proxy_set_header Content-Length "";
${indented(forwarded(application), '    ')}
    proxy_set_header X-Original-URL ${application.origin}$request_uri;
}`;
}

const buffers = `# Tokens and addresses make long headers, for which nginx's own buffers are too small.
large_client_header_buffers 4 16k;
proxy_buffer_size 16k;
proxy_buffers 8 16k;
proxy_busy_buffers_size 32k;

# Applications behind CGI take X_Gatehouse_Username for X-Gatehouse-Username.
underscores_in_headers off;`;

const listening = (url: URL) => {
  const port = url.port || (isSecure(url) ? '443' : '80');
  if (!isSecure(url)) return `listen ${port};\nserver_name ${url.hostname};`;
  return `listen ${port} ssl http2;
server_name ${url.hostname};
ssl_certificate /etc/letsencrypt/live/${url.hostname}/fullchain.pem;
ssl_certificate_key /etc/letsencrypt/live/${url.hostname}/privkey.pem;`;
};

const server = (url: URL, body: string) => `server {
${indented(listening(url), '    ')}

${indented(buffers, '    ')}

${indented(body, '    ')}
}
`;

const toApplication = ({ application, upstream }: Setup) => `proxy_pass http://${upstream};
${forwarded(application)}
${webSockets}`;

const connections = `map $http_upgrade $connection_upgrade {
    default upgrade;
    "" close;
}
`;

/** A file for /etc/nginx/sites-enabled. */
export function nginx(setup: Setup): ConfigurationFile[] {
  const { application, signIn, gatehouse, mode } = setup;
  const everything = `location / {
    proxy_pass http://${gatehouse};
${indented(forwarded(application), '    ')}
${indented(webSockets, '    ')}
    # Uploads and event streams pass as they come.
    proxy_buffering off;
    proxy_request_buffering off;
    client_max_body_size 0;
    proxy_read_timeout 10m;
}`;
  const servers = [
    server(application, mode === 'proxy' ? everything : locations(setup, toApplication(setup))),
    ...(signIn ? [server(signIn, ownPaths(setup, signIn))] : []),
  ];
  return [{ name: 'nginx.conf', text: [connections, ...servers].join('\n') }];
}

/** For the tab "Advanced" of a proxy host, which has its certificate and the application already. */
export function nginxProxyManager(setup: Setup): ConfigurationFile[] {
  const { application, signIn, gatehouse, mode } = setup;
  const advanced = (url: URL) => `Advanced: ${url.hostname}`;
  if (mode === 'proxy') {
    const [host, port] = gatehouse.split(':');
    return [
      {
        name: `Details: ${application.hostname}`,
        text: `Scheme: http
Forward Hostname / IP: ${host}
Forward Port: ${port ?? '80'}
Websockets Support: on
`,
      },
    ];
  }
  const passing = `proxy_pass $forward_scheme://$server:$port;
${forwarded(application)}
${webSockets.replace('$connection_upgrade', '$http_connection')}`;
  return [
    { name: advanced(application), text: `${buffers}\n\n${locations(setup, passing)}\n` },
    ...(signIn ? [{ name: advanced(signIn), text: `${buffers}\n\n${ownPaths(setup, signIn)}\n` }] : []),
  ];
}
