import { known } from '../texts/texts.ts';
import { isObject } from './is-object.ts';
import { hasAuthenticatedAgain } from './recent-authentication.ts';

/** A refusal by the server, in the shape that the API documents. */
export class ApiProblem extends Error {
  readonly status: number;
  readonly code: string;
  /** What is wrong with which member of what was sent, in the language of the page where that is known. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
  /** Under which the server's log tells more. */
  readonly requestId: string;
  /** Where the user signs in again, if the operation takes that; else empty. */
  readonly authenticateUrl: string;

  constructor(status: number, body: unknown, requestId: string) {
    const said = isObject(body) ? body : {};
    super(
      [said.detail, said.error].find((text) => typeof text === 'string') ??
        'The server could not complete the request.',
    );
    this.status = status;
    this.code = typeof said.code === 'string' ? said.code : '';
    this.fields = complaintsOf(said);
    this.requestId = requestId;
    this.authenticateUrl = this.code === 'recent_authentication_required' ? String(said.authenticate_url) : '';
  }
}

/** No answer came: the network is away, or the server is. */
export class NetworkLost extends Error {}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Request {
  /** Sent as JSON; a form is sent as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answered<T> {
  /** The parsed body; undefined where there is none. */
  readonly value: T;
  /** Names the state of the object that was read; empty where the server does not say. */
  readonly etag: string;
  /** Whether there is more than the response counts (`Gatehouse-Count: at-least`). */
  readonly isAtLeast: boolean;
  /** The path of the object that was made; empty where the server does not say. */
  readonly location: string;
}

/**
 * Calls an operation of the API as the signed-in user of this browser. `path` starts after `/api/v3` and is escaped by
 * the caller. Throws `ApiProblem` or `NetworkLost`.
 */
export async function requestApi<T>(method: Method, path: string, request: Request): Promise<Answered<T>> {
  try {
    return await requestOnce<T>(method, path, request);
  } catch (problem) {
    if (!(await hasAuthenticatedAgain(problem))) throw problem;
    return requestOnce<T>(method, path, request);
  }
}

/** The same, for callers that repeat it themselves once the user has authenticated again. */
export async function requestOnce<T>(method: Method, path: string, { body, headers }: Request): Promise<Answered<T>> {
  const isForm = body instanceof FormData;
  const answer = await fetch(`/api/v3${path}`, {
    method,
    headers: {
      accept: 'application/json',
      'accept-language': document.documentElement.lang,
      ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
      ...csrfHeaders(),
      ...headers,
    },
    credentials: 'same-origin',
    cache: 'no-store',
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
  }).catch(() => {
    throw new NetworkLost('The server cannot be reached.');
  });
  const text = await answer.text().catch(() => {
    throw new NetworkLost('The connection was lost.');
  });
  const parsed = parsedOrNull(text);
  if (!answer.ok) throw new ApiProblem(answer.status, parsed, answer.headers.get('x-request-id') ?? '');
  return {
    value: (text === '' ? undefined : parsed) as T,
    etag: answer.headers.get('etag') ?? '',
    isAtLeast: answer.headers.get('gatehouse-count') === 'at-least',
    location: (answer.headers.get('location') ?? '').replace(/^\/api\/v3/, ''),
  };
}

/** The body of what an operation answers. */
export const callApi = async <T>(method: Method, path: string, body?: unknown): Promise<T> =>
  (await requestApi<T>(method, path, { body })).value;

/** Whether the browser seems signed in; only the server knows for sure. */
export const isSignedIn = (): boolean => csrfToken() !== undefined;

/** The CSRF token. */
export function csrfHeaders(): Record<string, string> {
  const token = csrfToken();
  return token ? { 'x-gatehouse-csrf': token } : {};
}

/** Where the server is reached over TLS its cookies have a prefix, and one without it may be a neighbour's. */
function csrfToken(): string | undefined {
  const cookies = new Map(document.cookie.split('; ').map((pair) => pair.split('=', 2) as [string, string]));
  return cookies.get('__Host-gatehouse_csrf') || cookies.get('gatehouse_csrf') || undefined;
}

function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Members are complained about by lists of texts, elements of lists by position. */
function complaintsOf(body: Record<string, unknown>): Record<string, string[]> {
  const named = Object.entries(body).map(([name, complaint]) => [name, textsOf(complaint)] as const);
  return Object.fromEntries(named.filter(([name, texts]) => texts.length > 0 && name !== 'detail' && name !== 'code'));
}

function textsOf(complaint: unknown): string[] {
  if (Array.isArray(complaint)) return complaint.filter((text) => typeof text === 'string').map(known);
  return isObject(complaint) ? Object.values(complaint).flatMap(textsOf) : [];
}
