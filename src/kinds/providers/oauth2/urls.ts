export type IssuerMode = 'global' | 'per_provider';

const rootPath = '/application/o/';
export const authorizePath = `${rootPath}authorize/`;
export const endSessionPath = `${rootPath}end-session/`;

/** Where a client finds everything; what hangs on an application is empty while the provider has none. */
export function setupUrls(publicUrl: string, slug: string, issuerMode: IssuerMode): Record<string, string> {
  const root = `${publicUrl}${rootPath}`;
  const own = (path: string) => (slug === '' ? '' : `${root}${slug}/${path}`);
  return {
    issuer: issuerOf(publicUrl, slug, issuerMode),
    authorize: `${root}authorize/`,
    token: `${root}token/`,
    user_info: `${root}userinfo/`,
    provider_info: own('.well-known/openid-configuration'),
    logout: own('end-session/'),
    jwks: own('jwks/'),
  };
}

export function issuerOf(publicUrl: string, slug: string, mode: IssuerMode): string {
  if (mode === 'global') return `${publicUrl}/`;
  return slug === '' ? '' : `${publicUrl}${rootPath}${slug}/`;
}
