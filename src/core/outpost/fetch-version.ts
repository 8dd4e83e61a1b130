import { parseCidrs } from '../../lib/cidr.ts';
import { isJsonObject } from '../../lib/json.ts';
import { createFetch, type FetchOptions, type GuardedFetch } from '../../platform/fetch/guarded-fetch.ts';
import { OutboundError } from '../../platform/fetch/outbound-error.ts';
import { type ConnectionState, unreachable } from './connection-kind.ts';

/** Creates a guarded fetch for one connection. */
export type OpenFetch = (options: Pick<FetchOptions, 'tls' | 'socketPath' | 'timeoutMs' | 'maxBytes'>) => GuardedFetch;

export const openFetchWithin =
  (outboundAllow: readonly string[]): OpenFetch =>
  (options) =>
    createFetch({ allow: parseCidrs(outboundAllow), ...options });

export interface VersionRequest {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The member of the response that holds the version. */
  readonly member: string;
  readonly over: Pick<FetchOptions, 'tls' | 'socketPath'>;
}

const limits = { timeoutMs: 3_000, maxBytes: 65_536 };

export async function fetchVersion(
  open: OpenFetch,
  { url, headers, member, over }: VersionRequest,
): Promise<ConnectionState> {
  const fetch = open({ ...limits, ...over });
  try {
    const answer = await fetch(url, { headers });
    const body = answer.status === 200 ? answer.json() : null;
    const version = isJsonObject(body) ? body[member] : undefined;
    return typeof version === 'string' ? { healthy: true, version } : unreachable;
  } catch (error) {
    if (error instanceof OutboundError) return unreachable;
    throw error;
  } finally {
    await fetch.close();
  }
}
