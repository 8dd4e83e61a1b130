/** Who the user is, to the application. */
export const identityHeaders = [
  ...['X-Gatehouse-Username', 'X-Gatehouse-Groups', 'X-Gatehouse-Entitlements', 'X-Gatehouse-Email'],
  ...['X-Gatehouse-Name', 'X-Gatehouse-Uid', 'X-Gatehouse-Jwt'],
  ...['X-Gatehouse-Meta-Jwks', 'X-Gatehouse-Meta-Outpost', 'X-Gatehouse-Meta-Provider', 'X-Gatehouse-Meta-App'],
  'X-Gatehouse-Meta-Version',
  ...['Remote-User', 'Remote-Groups', 'Remote-Email', 'Remote-Name'],
] as const;

/** Programs behind CGI and its descendants see all spellings as one name: some with `_`, PHP also with `.`. */
export const foldedName = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '-');

const folded: ReadonlySet<string> = new Set(identityHeaders.map(foldedName));

/** Whether applications may take a header, in any spelling, for one of ours. */
export const isIdentityHeader = (name: string): boolean =>
  folded.has(foldedName(name)) || foldedName(name).startsWith('x-gatehouse-');

/** Whether a header could be taken for one of ours, but has another name: proxies do not replace it. */
export const isFoldedIdentity = (name: string): boolean => /[^a-z0-9-]/i.test(name) && isIdentityHeader(name);

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
