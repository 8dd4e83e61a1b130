import { type ConfigurationFile, headersOf, indented, type Setup } from './setup.ts';

/** A whole Caddyfile, or a part of one. Caddy gets certificates by itself. */
export function caddy(setup: Setup): ConfigurationFile[] {
  const { application, signIn, gatehouse, upstream, mode } = setup;
  if (mode === 'proxy')
    return [{ name: 'Caddyfile', text: `${application.origin} {\n\treverse_proxy ${gatehouse}\n}\n` }];
  const own = `# Sign-in, callback and sign-out: Gatehouse itself.
handle /outpost.gatehouse/* {
	reverse_proxy ${gatehouse}
}`;
  const site = `${application.origin} {
	# Only Gatehouse says who the user is. Applications behind CGI take "_" for "-".
	request_header -X-Gatehouse*
	request_header -X_Gatehouse*
	request_header -Remote-User*
	request_header -Remote-Groups*
	request_header -Remote-Email*
	request_header -Remote-Name*
	request_header -Remote_*

${indented(own, '\t')}

	handle {
		forward_auth ${gatehouse} {
			uri /outpost.gatehouse/auth/caddy
			copy_headers ${headersOf(setup).join(' ')}
		}
		reverse_proxy ${upstream}
	}
}
`;
  const sites = [site, ...(signIn ? [`${signIn.origin} {\n${indented(own, '\t')}\n}\n`] : [])];
  return [{ name: 'Caddyfile', text: sites.join('\n') }];
}
