import type { HostedRequest } from '../../../platform/http/hosted.ts';
import type { HttpResponse } from '../../../platform/http/routes.ts';
import { type Upstream, UpstreamError } from '../../../platform/http/upstream.ts';
import { mayAnswer, type Passed, upstreamHeaders } from './upstream-headers.ts';
import { whileAllowed } from './while-allowed.ts';

interface PassedRequest extends HostedRequest {
  readonly passed: Passed;
  /** Checked every minute, for what stays open. */
  isStillAllowed(): Promise<boolean>;
}

/** Passes a request on to the application; gives the error if that cannot be reached. */
export async function passOn(
  { facts, raw, stopping, passed, isStillAllowed }: PassedRequest,
  forward: (upstream: Upstream) => Promise<void>,
  sent: () => number,
): Promise<HttpResponse | UpstreamError> {
  const { internal_host, internal_host_ssl_validation: verifiesCertificate } = passed.provider;
  const guard = whileAllowed(stopping, isStillAllowed);
  try {
    await forward({
      origin: new URL(internal_host),
      verifiesCertificate,
      path: raw.url ?? '/',
      headers: upstreamHeaders(raw, facts, passed),
      mayAnswer,
      until: guard.signal,
    });
    return { status: sent(), isSent: true, isLogged: true };
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    return error;
  } finally {
    guard.end();
  }
}
