/**
 * Against XSS (no inline scripts, none of other origins), clickjacking (`frame-ancestors`) and injected `<base>`
 * elements.
 */
const contentSecurityPolicy = [
  "default-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "img-src 'self' data: https:",
  "object-src 'none'",
  "script-src-attr 'none'",
].join('; ');

/** On every response; routes may override them. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': contentSecurityPolicy,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  // Browsers respect it over TLS only. No `includeSubDomains`: subdomains may belong to others.
  'strict-transport-security': 'max-age=31536000',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-frame-options': 'DENY',
  'x-permitted-cross-domain-policies': 'none',
};

/**
 * For pages on the way to an application. Many applications open them in a popup and wait for it; they cannot read it,
 * but need to keep their handle to it.
 */
export const stayingInWindow: Readonly<Record<string, string>> = { 'cross-origin-opener-policy': 'unsafe-none' };
