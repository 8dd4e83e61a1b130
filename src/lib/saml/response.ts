import type { KeyObject } from 'node:crypto';
import { childrenNamed, descendants, hasName, type XmlElement, XmlError } from '../xml/element.ts';
import { isSigned, verifySigned } from '../xml/verify.ts';
import { type AssertionRules, readAssertion, type SignedIn } from './assertion.ts';
import { openEncrypted } from './encrypted.ts';
import { readHeader } from './header.ts';
import { readMessage, responseLimits, SamlError } from './message.ts';
import { assertionNamespace } from './names.ts';
import { isSuccess, readStatus, wordsOfStatus } from './status.ts';

export interface ResponseRules extends Omit<AssertionRules, 'response'> {
  /** Of the other side; one of them must have signed the response, or the assertion in it. */
  readonly keys: readonly KeyObject[];
  /** With a key, assertions must be encrypted; without one, they must not. */
  readonly decryptionKey: KeyObject | null;
}

/**
 * Who signed in, by a response to a sign-in request or an unsolicited one (SAML profiles, section 4.1.4). From the
 * moment that something is verified, only the verified copy of it is read.
 */
export async function readResponse(text: string, rules: ResponseRules): Promise<SignedIn> {
  const received = readMessage(text, responseLimits);
  readHeader(received, 'Response');
  const isVerified = isSigned(received);
  const response = isVerified ? verified(received, rules.keys) : received;
  const header = readHeader(response, 'Response');
  // Signed messages must have a Destination (SAML bindings, section 3.5.5.2).
  if (header.destination === null ? isVerified : header.destination !== rules.consumerUrl) {
    throw new SamlError('The response is addressed to another receiver (Destination).');
  }
  const status = readStatus(response);
  if (!isSuccess(status)) throw new SamlError(wordsOfStatus(status, isVerified));
  const assertion = await onlyAssertion(response, rules, isVerified);
  if (!isVerified && !isSigned(assertion)) throw new SamlError(`${badSignature} Nothing is signed.`);
  const believed = isSigned(assertion) ? verified(assertion, rules.keys) : assertion;
  return readAssertion(believed, { ...rules, response: header });
}

const badSignature = 'The signature of the SAML object is either missing or invalid.';
const badEncryption = 'The encryption of the SAML object is either missing or invalid.';

function verified(element: XmlElement, keys: readonly KeyObject[]): XmlElement {
  try {
    return verifySigned(element, keys);
  } catch (error) {
    throw error instanceof XmlError ? new SamlError(`${badSignature} ${error.message}`) : error;
  }
}

/** The assertion of a response, which must have exactly one, as a child. */
async function onlyAssertion(
  response: XmlElement,
  { decryptionKey }: ResponseRules,
  isAuthentic: boolean,
): Promise<XmlElement> {
  const named = (local: string) => childrenNamed(response, assertionNamespace, local);
  const all = [...descendants(response)].filter(
    (element) =>
      hasName(element, assertionNamespace, 'Assertion') || hasName(element, assertionNamespace, 'EncryptedAssertion'),
  );
  const [plain] = named('Assertion');
  const [encrypted] = named('EncryptedAssertion');
  if (all.length === 0) throw new SamlError('Assertion element not found');
  if (all.length > 1) throw new SamlError('Expected exactly one signed Assertion in the Response.');
  if (decryptionKey === null) {
    if (encrypted) throw new SamlError(`${badEncryption} This source has no key to decrypt with.`);
    if (!plain) throw new SamlError('Assertion element not found');
    return plain;
  }
  if (!encrypted) throw new SamlError(`${badEncryption} The assertion must be encrypted.`);
  try {
    const opened = await openEncrypted(encrypted, { privateKey: decryptionKey, isAuthentic });
    if (!hasName(opened, assertionNamespace, 'Assertion')) throw new SamlError('Assertion element not found');
    return opened;
  } catch (error) {
    throw error instanceof XmlError ? new SamlError(`${badEncryption} ${error.message}`) : error;
  }
}
