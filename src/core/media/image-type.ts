export interface ImageType {
  readonly extension: string;
  readonly contentType: string;
}

const types = {
  png: { extension: 'png', contentType: 'image/png' },
  jpeg: { extension: 'jpg', contentType: 'image/jpeg' },
  gif: { extension: 'gif', contentType: 'image/gif' },
  webp: { extension: 'webp', contentType: 'image/webp' },
  ico: { extension: 'ico', contentType: 'image/x-icon' },
  svg: { extension: 'svg', contentType: 'image/svg+xml' },
} as const satisfies Record<string, ImageType>;

/** Detects the type from the bytes, whatever the sender claims; null for anything else. */
export function imageTypeOf(bytes: Buffer): ImageType | null {
  const begins = (text: string, at = 0) => bytes.subarray(at, at + text.length).equals(Buffer.from(text, 'latin1'));
  if (begins('\x89PNG\r\n\x1a\n')) return types.png;
  if (begins('\xff\xd8\xff')) return types.jpeg;
  if (begins('GIF87a') || begins('GIF89a')) return types.gif;
  if (begins('RIFF') && begins('WEBP', 8)) return types.webp;
  if (begins('\x00\x00\x01\x00')) return types.ico;
  return isSvg(bytes) ? types.svg : null;
}

/**
 * UTF-8 text whose first element is `svg`. Doctypes could define exploding entities, so only the plain one is allowed.
 */
function isSvg(bytes: Buffer): boolean {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes).trimStart();
  } catch {
    // Not UTF-8, so readers could disagree on the text.
    return false;
  }
  for (;;) {
    if (/^<svg[\s>/]/.test(text)) return true;
    const end = text.startsWith('<!--') ? '-->' : '>';
    if (end === '>' && !/^(<\?xml\s|<!DOCTYPE\s+svg\s)[^<[]*?>/i.test(text)) return false;
    const at = text.indexOf(end);
    if (at === -1) return false;
    text = text.slice(at + end.length).trimStart();
  }
}
