import { orderedUuid } from '../../../../../platform/random.ts';
import { scopeNames } from '../../client.ts';
import { clientAccount } from '../../client-account.ts';
import { requireConfidential } from '../../client-authentication.ts';
import { appPasswordUser } from '../app-password.ts';
import type { GrantKind, Redeemed, Redemption } from '../grant-kind.ts';

/**
 * RFC 6749 §4.4: the client acts as its own account, as that of a workload that a JWKS
 * source vouches for, or as the user whose app password it has.
 */
export const clientCredentials: GrantKind = {
  grantType: 'client_credentials',
  isAuthorization: true,
  takesWorkloads: true,
  redeem: async (redemption) => grantTo(redemption, await accountOf(redemption)),
};

/** RFC 6749 §4.3, for clients that support nothing else; with app passwords only. */
export const passwordGrant: GrantKind = {
  grantType: 'password',
  isAuthorization: true,
  redeem: async (redemption) => grantTo(redemption, await appPasswordUser(redemption)),
};

async function accountOf(redemption: Redemption): Promise<number> {
  const { needs, call, params, by } = redemption;
  if (by.workload !== undefined) return clientAccount(needs.engine, call, by.client, by.workload);
  if (params.get('username') !== undefined) return appPasswordUser(redemption);
  requireConfidential(by);
  return clientAccount(needs.engine, call, by.client, { subject: '', name: 'client_credentials' });
}

/** Only requested scopes. RFC 6749 §4.4.3: no refresh token, since the client can request another token. */
const grantTo = ({ by: { client } }: Redemption, user: number): Redeemed => ({
  user,
  scope: { allowed: scopeNames(client), default: [] },
  family: orderedUuid(),
  session: null,
  authTime: null,
  terms: {},
  gives: { id: true, refresh: false },
  consume: async () => {},
});
