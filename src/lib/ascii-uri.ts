/**
 * A URI in the characters that a header may carry (RFC 3986): the host in punycode, all else percent-encoded as UTF-8.
 * Encoded parts stay unchanged, and so does the query, which may be signed.
 */
export function asciiUri(uri: string): string {
  const [, scheme = '', authority = '', rest = uri] = /^(https?:\/\/)([^/?#]*)(.*)$/is.exec(uri) ?? [];
  return scheme + asciiHost(authority) + rest.replace(beyondAscii, (text) => encodeURIComponent(text.toWellFormed()));
}

const beyondAscii = /[ \u0080-\uffff]+/g;

function asciiHost(authority: string): string {
  if (authority.search(beyondAscii) < 0) return authority;
  return URL.parse(`http://${authority}`)?.host ?? encodeURI(authority.toWellFormed());
}
