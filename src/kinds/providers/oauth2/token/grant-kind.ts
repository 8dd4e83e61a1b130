import type { UserFacts } from '../../../../core/mapping/user-facts.ts';
import type { Query } from '../../../../platform/db/database.ts';
import type { Call } from '../../../../resource/call.ts';
import type { AuthenticatedClient } from '../client-authentication.ts';
import type { OAuthDependencies } from '../dependencies.ts';
import type { GrantType } from '../grant-types.ts';
import type { GrantTerms } from '../grants.ts';
import type { OAuthErrorCode } from '../oauth-error.ts';
import type { Params } from '../params.ts';

/** The input of a grant. The client is already authenticated and may use the grant type. */
export interface Redemption {
  readonly needs: OAuthDependencies;
  readonly call: Call;
  readonly params: Params;
  readonly by: AuthenticatedClient;
  /** RFC 9449: the thumbprint of the key that the client has proven to hold in this request; null without a proof. */
  readonly jkt: string | null;
}

/** The result of a verified grant. The pipeline performs all other checks, equally for all grants. */
export interface Redeemed {
  readonly user: number;
  /** Who acts for the user (RFC 8693 §1.1), active: they use the application too, so they have to be let in. */
  readonly actor?: UserFacts | undefined;
  /** The scopes that may be requested, and the default. */
  readonly scope: { readonly allowed: ReadonlySet<string>; readonly default: readonly string[] };
  readonly family: string;
  readonly session: string | null;
  readonly authTime: string | null;
  readonly terms: GrantTerms;
  /** The subject issued to the client before; else computed now. */
  readonly subject?: string;
  readonly gives: { readonly id: boolean; readonly refresh: boolean };
  readonly notAfter?: string;
  /** Further members of the token response. */
  readonly says?: Readonly<Record<string, string>>;
  /** Consumes the grant, in the transaction that stores the tokens. Throws `GrantReused` if it was already consumed. */
  consume(tx: Query): Promise<void>;
}

export interface GrantKind {
  readonly grantType: GrantType;
  /** Whether the request itself authorizes the client, which is recorded; otherwise the consent was recorded before. */
  readonly isAuthorization: boolean;
  /**
   * Whether a workload that is authenticated by the client's JWKS sources may send the request instead of the client.
   */
  readonly takesWorkloads?: boolean;
  /** The error for users who may not use the application; `invalid_grant` by default. */
  readonly deniedAs?: OAuthErrorCode;
  /** Verifies the grant without consuming it. Throws an `OAuthError` for an invalid grant. */
  redeem(redemption: Redemption): Promise<Redeemed>;
}

/** A one-time grant was reused (replay): all its tokens are revoked. */
export class GrantReused extends Error {
  override readonly name = 'GrantReused';
  readonly family: string;

  constructor(family: string) {
    super('a grant was used twice');
    this.family = family;
  }
}
