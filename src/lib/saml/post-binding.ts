import type { Markup } from '../xml/write-xml.ts';
import { responseLimits, SamlError } from './message.ts';

const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** The value of `SAMLRequest` or `SAMLResponse` in a form (SAML bindings, section 3.5.4). */
export const encodePost = ({ markup }: Markup): string => Buffer.from(markup).toString('base64');

export function decodePost(value: string): string {
  if (value.length > responseLimits.maxLength * 2) throw new SamlError('The message is too long.');
  const text = value.replace(/[\r\n\t ]/g, '');
  if (text === '' || !base64.test(text)) throw new SamlError('The message is not encoded in base64.');
  return decodeUtf8(Buffer.from(text, 'base64'));
}

export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new SamlError('The message is not encoded in UTF-8.');
  }
}
