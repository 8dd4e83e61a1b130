import { type UserMessage, verbatim, type Words } from './texts/message.ts';

/** The errors of one member of a body: messages, or messages by position for the elements of a list. */
export type Complaint = Words[] | Record<string, Words[]>;
export type Complaints = Record<string, Complaint>;

/** All messages, without the names of the members. */
export const messagesOf = (complaints: Complaints): Words[] =>
  Object.values(complaints).flatMap((complaint) => Object.values(complaint).flat());

const problems = {
  not_authenticated: [403, 'Authentication credentials were not provided.'],
  authentication_failed: [403, 'Token invalid/expired'],
  unsupported_scheme: [403, 'Unsupported authentication type'],
  csrf_failed: [403, 'CSRF Failed: CSRF token missing.'],
  recent_authentication_required: [
    403,
    'Sign in again to do this: it takes a session whose user has authenticated within the last 10 minutes.',
  ],
  permission_denied: [403, 'You do not have permission to perform this action.'],
  bad_request: [400, 'The request cannot be understood.'],
  parse_error: [400, 'JSON parse error'],
  not_found: [404, 'Not found.'],
  invalid_page: [404, 'Invalid page.'],
  method_not_allowed: [405, 'Method not allowed.'],
  not_acceptable: [406, 'Could not satisfy the request Accept header.'],
  request_timeout: [408, 'The request did not arrive in time.'],
  precondition_failed: [412, 'The object has changed since it was read.'],
  payload_too_large: [413, 'The request body is too large.'],
  unsupported_media_type: [415, 'Unsupported media type in request.'],
  not_written: [424, 'Not written, because another write of the request was refused.'],
  throttled: [429, 'Request was throttled.'],
  headers_too_large: [431, 'The request headers are too large.'],
  unavailable: [503, 'The service is busy. Try again shortly.'],
} as const satisfies Record<string, readonly [number, string]>;

export type ProblemCode = keyof typeof problems;

/** A refusal to an API caller, with a code from a closed list. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The permission that the caller lacks. */
  readonly required: string | undefined;
  /** The same as `message`, which is English. */
  readonly words: UserMessage;

  constructor(
    code: ProblemCode,
    detail?: Words,
    headers: Readonly<Record<string, string>> = {},
    required?: string | undefined,
  ) {
    const [status, text] = problems[code];
    super(String(detail ?? text));
    this.words = verbatim(detail ?? text);
    this.code = code;
    this.status = status;
    this.headers = headers;
    this.required = required;
  }

  /** Refuses a caller for lack of a permission; never about an object that they may not see. */
  static lacks(required: string, detail?: Words): Problem {
    return new Problem('permission_denied', detail, {}, required);
  }

  body(): Record<string, unknown> {
    return { detail: this.message, code: this.code, ...(this.required && { required: this.required }) };
  }
}

/** Errors that clients distinguish by their code. */
export type InvalidCode = 'no_recovery_flow';

/** An invalid body, with all its errors. */
export class Invalid extends Error {
  readonly status = 400;
  readonly complaints: Complaints;
  readonly code: InvalidCode | undefined;

  constructor(complaints: Complaints, code?: InvalidCode) {
    super('invalid request');
    this.complaints = complaints;
    this.code = code;
  }

  static field(name: string, ...messages: Words[]): Invalid {
    return new Invalid({ [name]: messages });
  }

  /** An error of the request as a whole. */
  static whole(...messages: Words[]): Invalid {
    return new Invalid({ non_field_errors: messages });
  }

  body(): Record<string, unknown> {
    return this.code ? { ...this.complaints, code: this.code } : this.complaints;
  }
}
