import { X509Certificate } from 'node:crypto';
import { readMessage, SamlError, samlErrors } from '../../../lib/saml/message.ts';
import { decodePost } from '../../../lib/saml/post-binding.ts';
import { type MessageName, readRedirect } from '../../../lib/saml/redirect-binding.ts';
import type { XmlElement } from '../../../lib/xml/element.ts';
import { isSigned, verifySigned } from '../../../lib/xml/verify.ts';

/** A message as a browser brought it. */
export interface IncomingMessage {
  readonly name: MessageName;
  /** The root element, as it came: of one that is signed, only `verified` may be believed. */
  readonly root: XmlElement;
  readonly relayState: string | null;
  /** Whether it carries a signature, by whomever. */
  readonly isSigned: boolean;
  /** The message as the holder of the certificate signed it. Throws unless they did. */
  verified(certificate: string): XmlElement;
}

const maxRelayState = 4096;
const unsigned = 'Verification Certificate configured, but request is not signed.';
const unverified = 'Failed to verify signature';

/** Reads a message by redirect. `query` is the query string as it came, since the signature is over its very octets. */
export function parseRedirect(query: string): IncomingMessage {
  const { name, text, relayState, isSigned: hasSignature, isSignedBy } = readRedirect(query);
  const root = readMessage(text);
  return {
    name,
    root,
    relayState: bounded(relayState),
    isSigned: hasSignature,
    verified(certificate) {
      if (!hasSignature) throw new SamlError(unsigned);
      if (!isSignedBy([new X509Certificate(certificate).publicKey])) throw new SamlError(unverified);
      return root;
    },
  };
}

/** Reads a message by POST. */
export function parsePost(form: URLSearchParams): IncomingMessage {
  const names = (['SAMLRequest', 'SAMLResponse'] as const).filter((name) => form.has(name));
  const [name = 'SAMLRequest'] = names;
  if (names.length === 0) throw new SamlError('The SAML request payload is missing.');
  if (names.length > 1 || [name, 'RelayState'].some((part) => form.getAll(part).length > 1)) {
    throw new SamlError('The form has a message or RelayState more than once.');
  }
  return fromDocument(name, readMessage(decodePost(form.get(name) ?? '')), form.get('RelayState'));
}

/** A message with an enveloped signature. */
export const fromDocument = (name: MessageName, root: XmlElement, relayState: string | null): IncomingMessage => ({
  name,
  root,
  relayState: bounded(relayState),
  isSigned: isSigned(root),
  verified(certificate) {
    if (!isSigned(root)) throw new SamlError(unsigned);
    try {
      return samlErrors(() => verifySigned(root, [new X509Certificate(certificate).publicKey]));
    } catch (error) {
      throw error instanceof SamlError ? new SamlError(`${unverified}: ${error.message}`) : error;
    }
  },
});

function bounded(relayState: string | null): string | null {
  if (relayState !== null && relayState.length > maxRelayState) throw new SamlError('RelayState is too long.');
  return relayState;
}
