/**
 * A normalized path on this server; null for anything that a browser could take for another site (open redirect). The
 * normalized form is checked again: `/..//evil.example` is a local path only until its dot segments are resolved.
 */
export function ownPath(text: string | null, publicUrl: string): string | null {
  if (!text?.startsWith('/') || /[\\\p{Cc}]/u.test(text)) return null;
  const path = pathAt(text, publicUrl);
  return path !== null && pathAt(path, publicUrl) === path ? path : null;
}

/** Path, query and fragment, if the origin is ours. */
function pathAt(text: string, publicUrl: string): string | null {
  const url = URL.parse(text, publicUrl);
  return url && url.origin === new URL(publicUrl).origin ? `${url.pathname}${url.search}${url.hash}` : null;
}
