/** Who the user is, to the application. */
export const identityHeaders = [
  ...['X-Gatehouse-Username', 'X-Gatehouse-Groups', 'X-Gatehouse-Entitlements', 'X-Gatehouse-Email'],
  ...['X-Gatehouse-Name', 'X-Gatehouse-Uid', 'X-Gatehouse-Jwt'],
  ...['X-Gatehouse-Meta-Jwks', 'X-Gatehouse-Meta-Outpost', 'X-Gatehouse-Meta-Provider', 'X-Gatehouse-Meta-App'],
  'X-Gatehouse-Meta-Version',
  ...['Remote-User', 'Remote-Groups', 'Remote-Email', 'Remote-Name'],
] as const;

/** Programs behind CGI and its descendants see both spellings as one name. */
export const foldedName = (name: string): string => name.toLowerCase().replaceAll('_', '-');

const folded: ReadonlySet<string> = new Set(identityHeaders.map(foldedName));

/** Whether applications may take a header, in any spelling, for one of ours. */
export const isIdentityHeader = (name: string): boolean =>
  folded.has(foldedName(name)) || foldedName(name).startsWith('x-gatehouse-');

const reserved: ReadonlySet<string> = new Set([
  ...['authorization', 'connection', 'content-length', 'content-type', 'content-encoding', 'cookie', 'date', 'expect'],
  ...['forwarded', 'host', 'http2-settings', 'keep-alive', 'location', 'proxy-authenticate', 'proxy-authorization'],
  ...['proxy-connection', 'server', 'set-cookie', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'www-authenticate'],
  ...['cache-control', 'content-security-policy', 'strict-transport-security', 'x-real-ip'],
]);

const token = /^[a-z0-9-]{1,100}$/i;

/** Whether a mapping may add a header of this name: not those of the protocol, nor those that say who the user is. */
export const isFreeHeader = (name: string): boolean =>
  token.test(name) &&
  !reserved.has(foldedName(name)) &&
  !isIdentityHeader(name) &&
  !/^x-(?:forwarded|original)-/i.test(name);
