import type { KeyObject } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { isStrong, signatureMethods } from '../xml/algorithms.ts';
import type { SigningKey } from '../xml/sign.ts';
import { signOctets, verifyOctets } from '../xml/signature-algorithms.ts';
import type { Markup } from '../xml/write-xml.ts';
import { requestLimits, SamlError } from './message.ts';
import { decodeUtf8 } from './post-binding.ts';

export type MessageName = 'SAMLRequest' | 'SAMLResponse';

export interface OutgoingRedirect {
  readonly name: MessageName;
  readonly message: Markup;
  readonly relayState: string | null;
  readonly key: Omit<SigningKey, 'certificate' | 'digestAlgorithm'> | null;
}

/** The URL that carries a message (SAML bindings, section 3.4.4), signed if there is a key. */
export function redirectUrl(destination: string, { name, message, relayState, key }: OutgoingRedirect): string {
  const parts = [[name, deflateRawSync(message.markup).toString('base64')]];
  if (relayState !== null) parts.push(['RelayState', relayState]);
  if (key) parts.push(['SigAlg', key.signatureAlgorithm]);
  let query = parts.map(([part, value = '']) => `${part}=${encodeURIComponent(value)}`).join('&');
  if (key) {
    const method = signatureMethods[key.signatureAlgorithm];
    if (!method) throw new Error(`Unsupported signature algorithm ${key.signatureAlgorithm}.`);
    query += `&Signature=${encodeURIComponent(signOctets(method, query, key.privateKey).toString('base64'))}`;
  }
  return `${destination}${destination.includes('?') ? '&' : '?'}${query}`;
}

export interface IncomingRedirect {
  readonly name: MessageName;
  readonly text: string;
  readonly relayState: string | null;
  readonly isSigned: boolean;
  /** Whether one of the keys signed exactly the parameters that were read. */
  isSignedBy(keys: readonly KeyObject[]): boolean;
}

const readParts = ['SAMLRequest', 'SAMLResponse', 'RelayState', 'SigAlg', 'Signature'] as const;
type Part = (typeof readParts)[number];

/**
 * Reads the raw query: the signature covers these octets, so a decoded or repeated parameter could differ from the
 * verified one.
 */
export function readRedirect(query: string): IncomingRedirect {
  const raw = new Map<Part, string>();
  for (const pair of query.split('&')) {
    const at = pair.indexOf('=');
    const written = at < 0 ? pair : pair.slice(0, at);
    const part = readParts.find((candidate) => candidate === decode(written));
    if (!part) continue;
    if (raw.has(part)) throw new SamlError(`The address has ${part} twice.`);
    if (written !== part) throw new SamlError(`The address spells ${part} in another way.`);
    raw.set(part, at < 0 ? '' : pair.slice(at + 1));
  }
  const name = raw.has('SAMLRequest') ? 'SAMLRequest' : 'SAMLResponse';
  if (raw.has('SAMLRequest') === raw.has('SAMLResponse')) {
    throw new SamlError('The address must have one of SAMLRequest and SAMLResponse.');
  }
  const value = (part: Part) => (raw.has(part) ? decode(raw.get(part) ?? '') : null);
  return {
    name,
    text: inflate(value(name) ?? ''),
    relayState: value('RelayState'),
    isSigned: raw.has('Signature'),
    isSignedBy(keys) {
      const method = signatureMethods[value('SigAlg') ?? ''];
      const signature = value('Signature');
      if (!method || !isStrong(method) || !signature) return false;
      const signed = ([name, 'RelayState', 'SigAlg'] as const).filter((part) => raw.has(part));
      const octets = signed.map((part) => `${part}=${raw.get(part)}`).join('&');
      return keys.some((key) => verifyOctets(method, octets, key, Buffer.from(signature, 'base64')));
    },
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new SamlError('The address is not encoded as it should be.');
  }
}

/** Limits the output, not the input (decompression bomb). */
function inflate(value: string): string {
  const bytes = Buffer.from(value.replaceAll(' ', '+'), 'base64');
  try {
    // Some peers forget to compress.
    if (bytes[0] === 0x3c && bytes.length <= requestLimits.maxLength) return decodeUtf8(bytes);
    return decodeUtf8(inflateRawSync(bytes, { maxOutputLength: requestLimits.maxLength }));
  } catch (error) {
    if (error instanceof SamlError) throw error;
    throw new SamlError('The message is not compressed as the redirect binding demands, or it is too long.');
  }
}
