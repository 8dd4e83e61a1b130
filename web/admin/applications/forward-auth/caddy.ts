import { type ConfigurationFile, copiedHeaders, indented, type Setup } from './setup.ts';

/** A whole Caddyfile, or a part of one. Caddy gets certificates by itself. */
export function caddy(setup: Setup): ConfigurationFile[] {
  const { application, signIn, gatehouse, upstream, mode } = setup;
  if (mode === 'proxy')
    return [{ name: 'Caddyfile', text: `${application.origin} {\n\treverse_proxy ${gatehouse}\n}\n` }];
  const own = (url: URL) => `# The answers to checks are for proxies alone.
handle /outpost.gatehouse/auth/* {
	respond 404
}

# Sign-in, callback and sign-out: Gatehouse itself.
handle /outpost.gatehouse/* {
	reverse_proxy ${gatehouse} {
		header_up X-Forwarded-Host ${url.host}
	}
}`;
  const site = `${application.origin} {
	# Only Gatehouse says who the user is. Applications behind CGI take "_" and "." for "-".
	request_header -X-Gatehouse*
	request_header -X_Gatehouse*
	request_header -X.Gatehouse*
	request_header -Remote-User*
	request_header -Remote-Groups*
	request_header -Remote-Email*
	request_header -Remote-Name*
	request_header -Remote_*
	request_header -Remote.*
	# Nor does a client have them removed on their way to the application.
	@removing header_regexp Connection (?i)gatehouse|remote
	request_header @removing -Connection
	# No other path than the checked one.
	request_header -X-Original*
	request_header -X_Original*
	request_header -X-Rewrite*
	request_header -X_Rewrite*

${indented(own(application), '\t')}

	handle {
		forward_auth ${gatehouse} {
			uri /outpost.gatehouse/auth/caddy
			# The name of this site, never what the client claims: it chooses the port, for one.
			header_up X-Forwarded-Host ${application.host}
			copy_headers ${copiedHeaders.join(' ')}
		}
		reverse_proxy ${upstream}
	}
}
`;
  const sites = [site, ...(signIn ? [`${signIn.origin} {\n${indented(own(signIn), '\t')}\n}\n`] : [])];
  return [{ name: 'Caddyfile', text: sites.join('\n') }];
}
