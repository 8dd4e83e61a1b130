import { isUtf8 } from 'node:buffer';

/** Throws for bytes that are not UTF-8: decoding would replace them, and so make one password of many. */
export function parseJsonBytes(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new SyntaxError('the text is not UTF-8');
  return JSON.parse(bytes.toString('utf8'));
}
