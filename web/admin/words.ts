/** `is_active`, `http_basic`: `Is active`, `Http basic`. For values that no declaration names. */
export function spelled(value: unknown): string {
  const words = String(value).replaceAll(/[_-]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** `User`: `user`, for the middle of a sentence; `OAuth2 Provider` and `SAML Source` stay as they are. */
export function inSentence(name: string): string {
  return name
    .split(' ')
    .map((word) => (/^[A-Z][a-z-]+$/.test(word) ? word.toLowerCase() : word))
    .join(' ');
}

export const counted = (count: number, one: string, many: string): string =>
  `${count.toLocaleString()} ${count === 1 ? one : many}`;
