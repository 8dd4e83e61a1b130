export type IssuerMode = 'global' | 'per_provider';

const rootPath = '/application/o/';
export const authorizePath = `${rootPath}authorize/`;
export const tokenPath = `${rootPath}token/`;
export const registrationPath = `${rootPath}register/`;
export const rootDocument = '/.well-known/openid-configuration';
export const endSessionPath = `${rootPath}end-session/`;

/**
 * The endpoints of a client: below its application (empty without one), or below the root if the issuer is the whole
 * server.
 */
export function setupUrls(publicUrl: string, slug: string, issuerMode: IssuerMode): Record<string, string> {
  const root = `${publicUrl}${rootPath}`;
  const own = (path: string) => (slug === '' ? '' : `${root}${slug}/${path}`);
  const isGlobal = issuerMode === 'global';
  // Some client libraries take only endpoints below the issuer.
  const shared = (path: string) => (isGlobal ? `${root}${path}` : own(path) || `${root}${path}`);
  return {
    issuer: issuerOf(publicUrl, slug, issuerMode),
    authorize: shared('authorize/'),
    token: shared('token/'),
    user_info: shared('userinfo/'),
    provider_info: isGlobal ? `${publicUrl}${rootDocument}` : own(rootDocument.slice(1)),
    logout: isGlobal ? `${publicUrl}${endSessionPath}` : own('end-session/'),
    jwks: isGlobal ? `${root}jwks/` : own('jwks/'),
  };
}

export function issuerOf(publicUrl: string, slug: string, mode: IssuerMode): string {
  if (mode === 'global') return `${publicUrl}/`;
  return slug === '' ? '' : `${publicUrl}${rootPath}${slug}/`;
}

/**
 * The paths of an endpoint below `/application/o/`: for all clients, and below the issuer of each for that one alone.
 */
export const pathsOf = (endpoint: string): string[] => [endpoint, `{slug}/${endpoint}`];
