/** An address to navigate to; null if it is not one, such as `javascript:` and `data:`. */
export function safeAddress(text: string | null | undefined): string | null {
  if (!text) return null;
  const url = URL.parse(text, location.href);
  return url && (url.protocol === 'https:' || url.protocol === 'http:') ? url.href : null;
}

/** A page of ours that leads to the same destination as this one. */
export function withNext(text: string | undefined): string | null {
  const address = safeAddress(text);
  const query = new URLSearchParams(location.search);
  const next = query.get('next');
  if (!address || !next) return address;
  const url = new URL(address);
  if (url.origin !== location.origin || url.searchParams.has('next')) return url.href;
  url.searchParams.set('next', next);
  const application = query.get('application');
  if (application) url.searchParams.set('application', application);
  return url.href;
}
