import type { OAuthRowName } from './supply.ts';

export interface OAuthRow {
  readonly name: OAuthRowName;
  readonly title: string;
  /** Of the floor's requests per second; null when nothing is asked. */
  readonly goal: number | null;
}

export const oauthRows: readonly OAuthRow[] = [
  { name: 'client_credentials', title: 'client credentials: access token', goal: 0.5 },
  { name: 'authorization_code', title: 'code exchange: access, ID and refresh token', goal: null },
  { name: 'refresh_token', title: 'refresh: access, ID and new refresh token', goal: null },
  { name: 'introspection', title: 'introspection', goal: 0.5 },
  { name: 'userinfo', title: 'userinfo', goal: null },
];
