import type { Json } from '../../../../lib/json.ts';
import type { GrantType } from '../grant-types.ts';
import type { RedirectUri } from '../redirect-uris.ts';
import type { SecurityProfile } from '../security-profile.ts';

export const responseModes = ['query', 'fragment', 'form_post'] as const;
export type ResponseMode = (typeof responseModes)[number];

/** The response types there are, with the grant that a client must have been given for each. */
export const responseTypes: Readonly<Record<string, GrantType>> = {
  code: 'authorization_code',
  id_token: 'implicit',
  'id_token token': 'implicit',
  'code id_token': 'hybrid',
  'code token': 'hybrid',
  'code id_token token': 'hybrid',
};

export const prompts = ['none', 'login', 'consent', 'select_account'] as const;
export type Prompt = (typeof prompts)[number];

/** The properties of a client that the checks need. */
export interface RequestingClient {
  readonly client_id: string;
  readonly client_type: 'confidential' | 'public';
  readonly redirect_uris: readonly RedirectUri[];
  readonly grant_types: readonly GrantType[];
  readonly scopes: readonly { readonly scope_name: string }[];
  readonly targets: readonly string[];
  readonly security_profile: SecurityProfile;
}

/** A validated authorization request. */
export interface AuthorizeRequest {
  readonly client_id: string;
  readonly redirect_uri: string;
  /** In alphabetical order. */
  readonly response_type: string;
  readonly response_mode: ResponseMode;
  readonly state: string | null;
  readonly scope: readonly string[];
  readonly nonce: string;
  readonly prompt: readonly Prompt[];
  /** In seconds; null when the client does not care. */
  readonly max_age: number | null;
  readonly login_hint: string | null;
  readonly acr_values: readonly string[];
  /** OpenID Connect Core §5.5 */
  readonly claims: { readonly [part: string]: Json } | null;
  readonly code_challenge: string;
  readonly code_challenge_method: string;
  /** RFC 8707 */
  readonly resource: readonly string[];
  /** RFC 9449 §10: the key that the code will be bound to. */
  readonly dpop_jkt: string | null;
  /** RFC 9126: a pushed request can be used once. */
  readonly pushed: string | null;
}

/** OpenID Connect Core §3.1.2.1: the person is to see no page. */
export const isPromptNone = ({ prompt }: Pick<AuthorizeRequest, 'prompt'>): boolean => prompt.includes('none');

/** Where and how a client is answered; proven before anything is sent anywhere. */
export type ResponseTarget = Pick<AuthorizeRequest, 'redirect_uri' | 'response_mode' | 'state'>;
