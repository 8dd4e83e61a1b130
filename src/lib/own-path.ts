/**
 * A path on this server, normalized; null for anything that a browser could take for an address elsewhere. The normalized form is
 * judged again: `/..//evil.example` is a path of ours only until its dots are resolved.
 */
export function ownPath(text: string | null, publicUrl: string): string | null {
  if (!text?.startsWith('/') || /[\\\p{Cc}]/u.test(text)) return null;
  const path = pathAt(text, publicUrl);
  return path !== null && pathAt(path, publicUrl) === path ? path : null;
}

/** What follows the origin, if the address has ours. */
function pathAt(text: string, publicUrl: string): string | null {
  const url = URL.parse(text, publicUrl);
  return url && url.origin === new URL(publicUrl).origin ? `${url.pathname}${url.search}${url.hash}` : null;
}
