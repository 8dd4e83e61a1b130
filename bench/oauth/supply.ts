/** The requests that one row sends to one server. */
export interface Supply {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly requests: readonly ReadyRequest[];
  /** Codes and refresh tokens are good once: those that were sent are not sent again. */
  readonly isSingleUse: boolean;
}

export interface ReadyRequest {
  /** Empty for requests by a cookie. */
  readonly authorization: string;
  readonly cookie?: string;
  /** Form-encoded; null when there is none. */
  readonly form: string | null;
}

const grantRows = ['client_credentials', 'authorization_code', 'refresh_token'] as const;
export type OAuthRowName = (typeof grantRows)[number] | 'introspection' | 'userinfo';

/** The client and the user that both servers are configured with. */
export const callback = 'https://app.example/callback';
export const verifier = 'a-verifier-for-benchmarks-that-is-long-enough-0123456789';
export const userScopes = ['openid', 'email', 'profile', 'offline_access'];
/** How many live tokens are asked about by turns. */
export const liveTokenCount = 100;

export const basic = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;

/** The form by which a code or a refresh token is redeemed. */
export function redeemForm(grant: 'authorization_code' | 'refresh_token', token: string): Record<string, string> {
  return grant === 'authorization_code'
    ? { grant_type: grant, code: token, redirect_uri: callback, code_verifier: verifier }
    : { grant_type: grant, refresh_token: token };
}

export const formOf = (fields: Readonly<Record<string, string>>): string => new URLSearchParams(fields).toString();
