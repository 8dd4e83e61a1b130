import { type UserMessage, verbatim, type Words } from '../../../lib/texts/message.ts';

/**
 * The codes of the OAuth2 and OpenID Connect specifications, with the HTTP status of responses that are not redirects.
 */
const statuses = {
  // RFC 6749 §4.1.2.1, §5.2
  invalid_request: 400,
  invalid_client: 401,
  invalid_grant: 400,
  unauthorized_client: 400,
  unsupported_grant_type: 400,
  unsupported_response_type: 400,
  invalid_scope: 400,
  access_denied: 400,
  server_error: 500,
  temporarily_unavailable: 503,
  // RFC 6750 §3.1
  invalid_token: 401,
  insufficient_scope: 403,
  // RFC 7591 §3.2.2
  invalid_redirect_uri: 400,
  invalid_client_metadata: 400,
  // RFC 8628 §3.5
  authorization_pending: 400,
  slow_down: 400,
  expired_token: 400,
  // RFC 8707 §2
  invalid_target: 400,
  // RFC 9449 §5
  invalid_dpop_proof: 400,
  // OpenID Connect Core §3.1.2.6
  interaction_required: 400,
  login_required: 400,
  account_selection_required: 400,
  consent_required: 400,
  invalid_request_uri: 400,
  invalid_request_object: 400,
  request_not_supported: 400,
  request_uri_not_supported: 400,
  registration_not_supported: 400,
  // OpenID Connect Core Error Code unmet_authentication_requirements
  unmet_authentication_requirements: 400,
} as const;

export type OAuthErrorCode = keyof typeof statuses;

interface Details {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** An error response to a client, by a code of the specifications. Only endpoints render it. */
export class OAuthError extends Error {
  override readonly name = 'OAuthError';
  readonly code: OAuthErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The description, for a page. */
  readonly words: UserMessage;

  constructor(code: OAuthErrorCode, description: Words, { status, headers = {}, cause }: Details = {}) {
    super(String(description), { cause });
    this.words = verbatim(description);
    this.code = code;
    this.status = status ?? statuses[code];
    this.headers = headers;
  }

  body(): Record<string, string> {
    return { error: this.code, error_description: descriptionOf(this.message) };
  }
}

/** RFC 6749 §5.2: a description has no characters but these. */
export const descriptionOf = (text: string): string => text.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, '?');
