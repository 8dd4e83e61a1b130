import { type ConfigurationFile, copiedHeaders, eachLine, isSecure, type Setup } from './setup.ts';

const bindOf = (url: URL) => {
  const port = url.port || (isSecure(url) ? '443' : '80');
  return isSecure(url) ? `bind :${port} ssl crt /etc/haproxy/certificates/ alpn h2,http/1.1` : `bind :${port}`;
};

const defaults = `defaults
    mode http
    timeout connect 5s
    timeout client 60s
    timeout server 120s
    timeout http-request 30s
    timeout tunnel 1h
`;

/** The whole header: others would find the host in a list as well, whose last host would then be checked. */
const isHost = ({ host, hostname }: URL) => `req.fhdr(host) -i ${[...new Set([host, hostname])].join(' ')}`;

const frontend = ({ application, signIn }: Setup, rules: string) => `frontend public
    ${bindOf(application)}
    acl application ${isHost(application)}${signIn ? `\n    acl sign_in ${isHost(signIn)}` : ''}
    # Replaces what the client sent: only this proxy's word counts.
    http-request set-header X-Forwarded-For %[src]
    http-request set-header X-Forwarded-Proto ${application.protocol.slice(0, -1)}
    http-request set-header X-Forwarded-Host %[req.fhdr(host)]
    http-request set-header X-Forwarded-Host ${application.host} if application${signIn ? `\n    http-request set-header X-Forwarded-Host ${signIn.host} if sign_in` : ''}
${rules}
`;

const backends = ({ gatehouse, upstream, mode }: Setup) => `backend gatehouse
    server gatehouse ${gatehouse}
${mode === 'proxy' ? '' : `\nbackend application\n    server application ${upstream}\n`}`;

/** The check needs HAProxy 2.5 or later, with Lua, as distributions build it. */
export function haproxy(setup: Setup): ConfigurationFile[] {
  const { signIn, mode } = setup;
  if (mode === 'proxy') {
    const rules = '    use_backend gatehouse if application';
    return [{ name: 'haproxy.cfg', text: [defaults, frontend(setup, rules), backends(setup)].join('\n') }];
  }
  const signInHost = signIn ? '\n    use_backend gatehouse if sign_in' : '';
  const rules = `    # The answers to checks are for proxies alone.
    http-request return status 404 if { path_beg /outpost.gatehouse/auth/ }
    # Only Gatehouse says who the user is. Applications behind CGI take "_" and "." for "-".
    http-request del-header ^[xX][^a-zA-Z0-9]gatehouse -m reg
    http-request del-header ^[rR]emote[^a-zA-Z0-9](user|groups|email|name)$ -m reg
    # Nor does a client have them removed on their way to the application.
    http-request del-header connection if { req.fhdr(connection) -i -m reg gatehouse|remote }
    # No other path than the checked one.
    http-request del-header ^[xX][^a-zA-Z0-9](original|rewrite)[^a-zA-Z0-9] -m reg
    acl gatehouse_path path_beg /outpost.gatehouse/
    # A request passes only if the check says so, and none if it cannot be made.
    http-request set-var(txn.gatehouse_allowed) bool(false)
    http-request lua.gatehouse_check if application !gatehouse_path
    http-request deny deny_status 503 if application !gatehouse_path !{ var(txn.gatehouse_allowed) -m bool }${signInHost}
    use_backend gatehouse if application gatehouse_path
    use_backend application if application`;
  const global = `global
    lua-load /etc/haproxy/gatehouse.lua
    # Tokens make long headers.
    tune.bufsize 32768
`;
  return [
    { name: 'haproxy.cfg', text: [global, defaults, frontend(setup, rules), backends(setup)].join('\n') },
    { name: '/etc/haproxy/gatehouse.lua', text: lua(setup) },
  ];
}

const lua = (setup: Setup) => `-- Asks Gatehouse whether a request may pass, and answers for it if it may not.
local check = "http://${setup.gatehouse}/outpost.gatehouse/auth/haproxy"

-- What Gatehouse needs to know of the request; nothing else that the client sent reaches it.
local sent = {
  "cookie", "authorization", "accept", "accept-language", "user-agent", "upgrade", "x-requested-with", "sec-fetch-mode",
  "sec-fetch-site", "x-forwarded-for", "x-forwarded-proto", "x-forwarded-host",
}
-- Who the user is, to the application.
local identity = {
${eachLine(copiedHeaders, (name) => `  "${name.toLowerCase()}",`)}
}

local function values(list)
  local all = {}
  for index = 0, #list do
    if list[index] ~= nil then all[#all + 1] = list[index] end
  end
  return all
end

core.register_action("gatehouse_check", { "http-req" }, function(txn)
  local request = txn.http:req_get_headers()
  local headers = {
    ["x-forwarded-uri"] = { txn.sf:pathq() },
    ["x-forwarded-method"] = { txn.sf:method() },
  }
  for _, name in ipairs(sent) do
    if request[name] ~= nil then headers[name] = values(request[name]) end
  end
  headers["host"] = headers["x-forwarded-host"]
  local response = core.httpclient():get({ url = check, headers = headers, timeout = 10000 })
  if response == nil or response.status == nil or response.status == 0 then return end
  if response.status ~= 200 then
    local passed = {}
    for name, list in pairs(response.headers) do
      if name ~= "connection" and name ~= "transfer-encoding" and name ~= "content-length" and name ~= "keep-alive" then
        passed[name] = values(list)
      end
    end
    return txn:done(txn:reply({ status = response.status, headers = passed, body = response.body or "" }))
  end
  for _, name in ipairs(identity) do
    local list = response.headers[name]
    local value = list and values(list)[1]
    if value == "" then txn.http:req_del_header(name) end
    if value ~= nil and value ~= "" then txn.http:req_set_header(name, value) end
  end
  txn:set_var("txn.gatehouse_allowed", true)
end)
`;
