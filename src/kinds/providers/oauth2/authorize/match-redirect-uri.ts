import type { Sandbox } from '../../../../platform/sandbox/sandbox.ts';
import type { Client } from '../client.ts';
import { OAuthError } from '../oauth-error.ts';
import { isHarmfulUrl, type RedirectUri } from '../redirect-uris.ts';
import { isFapi2 } from '../security-profile.ts';

const maxUriLength = 2_000;
/** Characters that browsers and parsers treat differently: white space, control characters, backslashes. */
const disputed = /[\s\p{Cc}\\]/u;
/** Paths that change meaning when an intermediary decodes them or drops path parameters (open redirect). */
const encodedPathSigns = /%(2e|2f|5c|25|00)|\/\.{1,2};/i;

/**
 * Whether responses may be sent to this URI (open redirect). Strict means equal text (RFC 9700 §2.1); a pattern must
 * match the whole of a URI that all parsers read alike. An empty list allows none.
 */
export function isRegisteredUri(
  sandbox: Sandbox,
  registered: readonly RedirectUri[],
  uri: string,
  { anyLoopbackPort = false }: { readonly anyLoopbackPort?: boolean } = {},
): boolean {
  const url = uri.length > maxUriLength || disputed.test(uri) ? null : URL.parse(uri);
  // RFC 6749 §3.1.2: no fragment.
  if (!url || uri.includes('#') || isHarmfulUrl(uri)) return false;
  return registered.some((one) =>
    one.matching_mode === 'strict'
      ? one.url === uri || (anyLoopbackPort && isSameLoopback(one.url, uri))
      : isUnambiguous(uri, url) && matchesWhole(sandbox, one.url, uri),
  );
}

/**
 * Whether a registered redirect_uri allows this one: the same text, but for the port of a loopback address, which
 * native apps get from the operating system (RFC 8252 §7.3, RFC 9700 §2.1). FAPI 2.0 allows no exception.
 */
export const isRegisteredRedirectUri = (
  sandbox: Sandbox,
  client: Pick<Client, 'redirect_uris' | 'security_profile'>,
  uri: string,
): boolean => isRegisteredUri(sandbox, client.redirect_uris, uri, { anyLoopbackPort: !isFapi2(client) });

const loopback = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::\d{1,5})?(?=$|[/?])/;

const isSameLoopback = (one: string, other: string): boolean =>
  loopback.test(one) && loopback.test(other) && withoutPort(one) === withoutPort(other);

const withoutPort = (uri: string): string => uri.replace(loopback, '$1');

/** Whether no parser would drop or resolve a part of it, or read credentials in it. */
function isUnambiguous(uri: string, url: URL): boolean {
  const isNormal = url.href === uri || (url.pathname === '/' && url.href === `${uri}/`);
  return isNormal && url.username === '' && url.password === '' && !encodedPathSigns.test(url.pathname);
}

/** Runs in the sandbox, with limited time (ReDoS). A pattern that fails matches nothing. */
function matchesWhole(sandbox: Sandbox, pattern: string, uri: string): boolean {
  const result = sandbox.run(wholeMatch, { globals: { pattern, uri } });
  if (!result.ok && result.isBudgetSpent) throw new OAuthError('invalid_request', tooCostly);
  return result.ok && result.value === true;
}

const tooCostly =
  'redirect_uri cannot be checked: comparing it with the patterns registered for this client takes too long. Register simpler patterns, or the URIs themselves.';

// The pattern is compiled alone first, so that it cannot close the group around it.
const wholeMatch = 'new RegExp(pattern); return new RegExp("^(?:" + pattern + ")$").test(uri);';
