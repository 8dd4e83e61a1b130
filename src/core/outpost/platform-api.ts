import { memberOf } from '../../lib/json.ts';
import type {
  FetchOptions,
  GuardedFetch,
  OutboundRequest,
  OutboundResponse,
} from '../../platform/fetch/guarded-fetch.ts';
import { OutboundError } from '../../platform/fetch/outbound-error.ts';
import type { OpenFetch } from './fetch-version.ts';
import { DeploymentError } from './platform.ts';

/** Where the API of a platform is, and how to connect to it. */
export interface PlatformAddress {
  /** Ends with a slash. */
  readonly base: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly over: Pick<FetchOptions, 'tls' | 'socketPath'>;
}

export interface PlatformRequest {
  readonly method: NonNullable<OutboundRequest['method']>;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly contentType?: string;
  /** The statuses that the caller handles; any other is an error. */
  readonly expect: readonly number[];
  readonly timeoutMs?: number;
  /** What the request holds that errors, which may quote it, must not show. */
  readonly secret?: string;
}

export type CallPlatform = (request: PlatformRequest) => Promise<OutboundResponse>;

const limits = { timeoutMs: 20_000, maxBytes: 16 * 1024 * 1024 };
const maxMessageLength = 300;

/** Opens connections to a platform for some work, and closes them afterwards or when the signal is aborted. */
export async function withPlatform<T>(
  open: OpenFetch,
  address: PlatformAddress,
  signal: AbortSignal,
  work: (call: CallPlatform) => Promise<T>,
): Promise<T> {
  const fetch = open({ ...limits, ...address.over });
  const close = () => void fetch.close();
  signal.addEventListener('abort', close, { once: true });
  try {
    return await work((request) => send(fetch, address, request));
  } catch (error) {
    if (error instanceof OutboundError) throw new DeploymentError(error.message, { cause: error });
    throw error;
  } finally {
    signal.removeEventListener('abort', close);
    await fetch.close();
  }
}

async function send(
  fetch: GuardedFetch,
  { base, headers }: PlatformAddress,
  { method, path, query = {}, body, contentType = 'application/json', expect, timeoutMs, secret }: PlatformRequest,
): Promise<OutboundResponse> {
  const search = new URLSearchParams(query).toString();
  const response = await fetch(`${base}${path}${search && `?${search}`}`, {
    method,
    headers: { ...headers, accept: 'application/json', ...(body !== undefined && { 'content-type': contentType }) },
    body: body === undefined ? null : JSON.stringify(body),
    timeoutMs,
  });
  if (expect.includes(response.status)) return response;
  const message = messageOf(response, secret);
  throw new DeploymentError(`${method} /${path} failed with status ${response.status}${message && `: ${message}`}`);
}

/** Both Docker and Kubernetes describe errors by a member `message`. */
function messageOf(response: OutboundResponse, secret = ''): string {
  try {
    const message = memberOf(response.json(), 'message');
    if (typeof message !== 'string') return '';
    return (secret === '' ? message : message.replaceAll(secret, '***')).slice(0, maxMessageLength);
  } catch {
    // Something else answers in its place, a proxy for example: the status says enough.
    return '';
  }
}
