/** An address without slashes at its end, so that paths can be added. */
export function baseUrl(url: string): string {
  let end = url.length;
  while (url[end - 1] === '/') end -= 1;
  return url.slice(0, end);
}
