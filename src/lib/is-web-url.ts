/** Whether a text is an address by http or https: no scheme that a browser would execute, or that opens local files. */
export function isWebUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') && url.hostname !== '';
}
