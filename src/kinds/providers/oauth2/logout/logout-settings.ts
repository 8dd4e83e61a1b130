import { sql } from 'kysely';
import type { Query } from '../../../../platform/db/database.ts';
import type { RedirectUri } from '../redirect-uris.ts';

/** The logout settings of a client. */
export interface LogoutSettings {
  readonly post_logout_redirect_uris: readonly RedirectUri[];
  /** Empty if the client is not notified. */
  readonly backchannel_logout_uri: string;
  readonly frontchannel_logout_uri: string;
}

export async function loadLogoutSettings(query: Query, provider: number): Promise<LogoutSettings> {
  const { rows } = await sql<Record<keyof LogoutSettings, string>>`select post_logout_redirect_uris,
    backchannel_logout_uri, frontchannel_logout_uri from provider_oauth2 where pk = ${provider}`.execute(query);
  const row = rows[0] ?? { post_logout_redirect_uris: '[]', backchannel_logout_uri: '', frontchannel_logout_uri: '' };
  return { ...row, post_logout_redirect_uris: JSON.parse(row.post_logout_redirect_uris) };
}
