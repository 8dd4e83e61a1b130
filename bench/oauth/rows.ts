import type { OAuthRowName } from './supply.ts';

export interface OAuthRow {
  readonly name: OAuthRowName;
  readonly title: string;
  /** Share of the floor's requests per second; null: no target. */
  readonly target: number | null;
}

export const oauthRows: readonly OAuthRow[] = [
  { name: 'client_credentials', title: 'client credentials: access token', target: 0.5 },
  { name: 'authorization_code', title: 'code exchange: access, ID and refresh token', target: null },
  { name: 'refresh_token', title: 'refresh: access, ID and new refresh token', target: null },
  { name: 'introspection', title: 'introspection', target: 0.5 },
  { name: 'userinfo', title: 'userinfo', target: null },
];
