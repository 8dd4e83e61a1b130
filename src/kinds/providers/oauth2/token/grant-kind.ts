import type { UserFacts } from '../../../../core/mapping/user-facts.ts';
import type { Query } from '../../../../platform/db/database.ts';
import type { Call } from '../../../../resource/call.ts';
import type { AuthenticatedClient } from '../client-authentication.ts';
import type { OAuthDependencies } from '../dependencies.ts';
import type { GrantType } from '../grant-types.ts';
import type { GrantTerms } from '../grants.ts';
import type { OAuthErrorCode } from '../oauth-error.ts';
import type { Params } from '../params.ts';

/** What a grant is shown. By then the client has proven itself and may use grants of the kind. */
export interface Redemption {
  readonly needs: OAuthDependencies;
  readonly call: Call;
  readonly params: Params;
  readonly by: AuthenticatedClient;
  /** RFC 9449: the thumbprint of the key that the client has proven to hold in this request; null without a proof. */
  readonly jkt: string | null;
}

/** What a grant proves. All the rest is asked by the pipeline, of every grant alike. */
export interface Redeemed {
  readonly user: number;
  /** Who acts for the user (RFC 8693 §1.1), active: they use the application too, so they have to be let in. */
  readonly actor?: UserFacts | undefined;
  /** What may be asked for at most, and what is given to who asks for nothing. */
  readonly scope: { readonly allowed: ReadonlySet<string>; readonly default: readonly string[] };
  readonly family: string;
  readonly session: string | null;
  readonly authTime: string | null;
  readonly terms: GrantTerms;
  /** What the client knows the user by already; else what the provider says now. */
  readonly subject?: string;
  readonly gives: { readonly id: boolean; readonly refresh: boolean };
  readonly notAfter?: string;
  /** What the answer says besides the tokens. */
  readonly says?: Readonly<Record<string, string>>;
  /** Uses the grant up, in the transaction that stores the tokens. Throws `GrantReused` when another was faster. */
  consume(tx: Query): Promise<void>;
}

export interface GrantKind {
  readonly grantType: GrantType;
  /** Whether to ask by it is to be let in, which is recorded; else that was recorded when a person agreed. */
  readonly isAuthorization: boolean;
  /** Whether a workload that the client's JWKS sources vouch for may ask in place of the client. */
  readonly takesWorkloads?: boolean;
  /** How users are refused who may not use the application; `invalid_grant` unless told. */
  readonly deniedAs?: OAuthErrorCode;
  /** Proves the grant and uses nothing up. Throws an `OAuthError` when the grant is not good. */
  redeem(redemption: Redemption): Promise<Redeemed>;
}

/** Something that may be used once was used again: whoever did that, all that came of it is taken back. */
export class GrantReused extends Error {
  override readonly name = 'GrantReused';
  readonly family: string;

  constructor(family: string) {
    super('a grant was used twice');
    this.family = family;
  }
}
