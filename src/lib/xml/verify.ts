import type { KeyObject } from 'node:crypto';
import { SignedXml } from 'xml-crypto';
import { digests, dsNamespace, envelopedSignature, exclusiveC14n, isStrong, signatureMethods } from './algorithms.ts';
import {
  attributeOf,
  childrenNamed,
  descendants,
  isElement,
  onlyChild,
  textOf,
  type XmlElement,
  XmlError,
} from './element.ts';
import { readXml } from './read-xml.ts';
import { type Digest, digestOf, withOurAlgorithms } from './signature-algorithms.ts';
import { standaloneXml } from './write-xml.ts';

/** Characters; real ones stay below 2,000. */
const maxSignedInfo = 16_384;

const transformsAllowed = new Set([envelopedSignature, exclusiveC14n]);

/** Whether the element carries a signature of its own. */
export const isSigned = (element: XmlElement): boolean => childrenNamed(element, dsNamespace, 'Signature').length > 0;

/**
 * The signed element, parsed again from the octets that the signature covers. Against XML signature wrapping, callers
 * must use this element and forget the one it came from.
 *
 * The element is taken out of its document first and verified alone, so no other element can replace it (XML signature
 * wrapping): a signature that refers to anything but the element around it finds nothing (signature wrapping). Keys
 * sent along are ignored.
 */
export function verifySigned(element: XmlElement, keys: readonly KeyObject[]): XmlElement {
  const id = requireSoundSignature(element);
  const signature = requireOnly(element, 'Signature');
  for (const publicKey of keys) {
    if (!hasSigned(element, signature, publicKey)) continue;
    const octets = signedOctets(standaloneXml(element), standaloneXml(signature), publicKey, digestOf);
    if (octets === null) continue;
    const verified = readXml(octets, { maxLength: octets.length });
    if (
      verified.local !== element.local ||
      verified.namespace !== element.namespace ||
      attributeOf(verified, 'ID') !== id
    )
      break;
    return verified;
  }
  throw new XmlError(`The signature of ${element.local} is not valid.`);
}

/** The parts of a signature that it does not cover, apart from its value: included keys, which are ignored. */
const parts = new Set(['SignedInfo', 'SignatureValue']);

/**
 * Verifies SignedInfo before the digest of the element. This takes the same time
 * for all anonymous input, while digesting takes longer for larger elements.
 */
function hasSigned(element: XmlElement, signature: XmlElement, publicKey: KeyObject): boolean {
  const bare = {
    ...signature,
    children: signature.children.filter((child) => isElement(child) && parts.has(child.local)),
  };
  const said = textOf(requireOnly(requireOnly(requireOnly(signature, 'SignedInfo'), 'Reference'), 'DigestValue'));
  const around = standaloneXml({ ...element, children: [bare] });
  return signedOctets(around, standaloneXml(bare), publicKey, () => said) !== null;
}

function signedOctets(text: string, signature: string, publicKey: KeyObject, digest: Digest): string | null {
  const verifier = withOurAlgorithms(
    new SignedXml({ publicCert: publicKey, getCertFromKeyInfo: () => null }),
    { publicKey },
    isStrong,
    digest,
  );
  try {
    verifier.loadSignature(signature);
    if (!verifier.checkSignature(text)) return null;
    const references = verifier.getSignedReferences();
    return references.length === 1 ? (references[0] ?? null) : null;
  } catch {
    return null;
  }
}

/** Checks everything about the signature but its value. Gives the ID of the element. */
function requireSoundSignature(element: XmlElement): string {
  const id = attributeOf(element, 'ID');
  if (!id) throw new XmlError(`${element.local} has no ID to be signed by.`);
  const ids = [...descendants(element)].flatMap(({ attributes }) =>
    attributes.filter(({ name }) => /^(?:\w+:)?id$/i.test(name)).map(({ value }) => value),
  );
  if (new Set(ids).size !== ids.length) throw new XmlError(`${element.local} holds the same ID twice.`);

  const signedInfo = requireOnly(requireOnly(element, 'Signature'), 'SignedInfo');
  if (standaloneXml(signedInfo).length > maxSignedInfo) throw new XmlError('SignedInfo is too long.');
  requireAlgorithm(signedInfo, 'CanonicalizationMethod', (name) => name === exclusiveC14n);
  requireAlgorithm(signedInfo, 'SignatureMethod', (name) => isKnownAndStrong(signatureMethods[name]));
  const reference = requireOnly(signedInfo, 'Reference');
  if (attributeOf(reference, 'URI') !== `#${id}`) {
    throw new XmlError(`The signature of ${element.local} refers to another element.`);
  }
  requireAlgorithm(reference, 'DigestMethod', (name) => isKnownAndStrong(digests[name] && { hash: digests[name] }));
  const transforms = childrenNamed(requireOnly(reference, 'Transforms'), dsNamespace, 'Transform');
  const names = transforms.map((transform) => attributeOf(transform, 'Algorithm') ?? '');
  if (names.length > 2 || !names.includes(envelopedSignature) || !names.every((name) => transformsAllowed.has(name))) {
    throw new XmlError('The signature uses a transform that is not accepted.');
  }
  return id;
}

const isKnownAndStrong = (algorithm: Parameters<typeof isStrong>[0] | undefined) =>
  algorithm !== undefined && isStrong(algorithm);

function requireAlgorithm(parent: XmlElement, local: string, isAllowed: (name: string) => boolean): void {
  const name = attributeOf(requireOnly(parent, local), 'Algorithm') ?? '';
  if (!isAllowed(name))
    throw new XmlError(`The signature uses ${name || 'no algorithm'} as ${local}, which is not accepted.`);
}

function requireOnly(parent: XmlElement, local: string): XmlElement {
  const child = onlyChild(parent, dsNamespace, local);
  if (!child) throw new XmlError(`${parent.local} has no ${local}.`);
  return child;
}
