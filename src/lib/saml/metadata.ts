import { X509Certificate } from 'node:crypto';
import { writePem } from '../pem.ts';
import { dsNamespace } from '../xml/algorithms.ts';
import { attributeOf, childrenNamed, descendants, hasName, isTrue, textOf, type XmlElement } from '../xml/element.ts';
import { readXml } from '../xml/read-xml.ts';
import { SamlError, samlErrors } from './message.ts';
import { metadataNamespace } from './names.ts';

const maxMetadataLength = 1024 * 1024;

export interface Endpoint {
  readonly binding: string;
  readonly location: string;
}

/** The metadata of one entity. */
export interface EntityMetadata {
  readonly entityId: string;
  readonly singleSignOn: readonly Endpoint[];
  readonly assertionConsumer: readonly Endpoint[];
  readonly singleLogout: readonly Endpoint[];
  readonly nameIdFormats: readonly string[];
  /** PEM. A certificate without a use serves both. */
  readonly signing: readonly string[];
  readonly encryption: readonly string[];
  /** Algorithms that the holders of those certificates support; empty if unspecified. */
  readonly encryptionMethods: readonly string[];
  readonly wantsSignedRequests: boolean;
  readonly signsRequests: boolean;
}

/** Reads the first entity of the wanted role, also out of a collection of entities. */
export function readMetadata(text: string, role: 'IDPSSODescriptor' | 'SPSSODescriptor'): EntityMetadata {
  return samlErrors(() => {
    const root = readXml(text, { maxLength: maxMetadataLength });
    for (const entity of descendants(root)) {
      if (!hasName(entity, metadataNamespace, 'EntityDescriptor')) continue;
      const [descriptor] = childrenNamed(entity, metadataNamespace, role);
      if (descriptor) return readEntity(entity, descriptor);
    }
    throw new SamlError(`The metadata has no ${role}.`);
  });
}

function readEntity(entity: XmlElement, descriptor: XmlElement): EntityMetadata {
  const entityId = attributeOf(entity, 'entityID');
  if (!entityId) throw new SamlError('The metadata has no entityID.');
  const flag = (name: string) => isTrue(descriptor, name);
  return {
    entityId,
    singleSignOn: endpoints(descriptor, 'SingleSignOnService'),
    assertionConsumer: endpoints(descriptor, 'AssertionConsumerService'),
    singleLogout: endpoints(descriptor, 'SingleLogoutService'),
    nameIdFormats: childrenNamed(descriptor, metadataNamespace, 'NameIDFormat').map(textOf),
    signing: certificates(descriptor, 'signing'),
    encryption: certificates(descriptor, 'encryption'),
    encryptionMethods: keysFor(descriptor, 'encryption').flatMap((key) =>
      childrenNamed(key, metadataNamespace, 'EncryptionMethod').map((method) => attributeOf(method, 'Algorithm') ?? ''),
    ),
    wantsSignedRequests: flag('WantAuthnRequestsSigned'),
    signsRequests: flag('AuthnRequestsSigned'),
  };
}

/** The default first, then in the order of their index, then as written. */
function endpoints(descriptor: XmlElement, local: string): Endpoint[] {
  const rank = (element: XmlElement) =>
    isTrue(element, 'isDefault') ? -1 : Number(attributeOf(element, 'index') ?? 0);
  return childrenNamed(descriptor, metadataNamespace, local)
    .toSorted((one, other) => rank(one) - rank(other))
    .map((element) => ({
      binding: attributeOf(element, 'Binding') ?? '',
      location: attributeOf(element, 'Location') ?? '',
    }));
}

/** A key without a use serves both. */
const keysFor = (descriptor: XmlElement, use: 'signing' | 'encryption'): XmlElement[] =>
  childrenNamed(descriptor, metadataNamespace, 'KeyDescriptor').filter(
    (key) => (attributeOf(key, 'use') ?? use) === use,
  );

function certificates(descriptor: XmlElement, use: 'signing' | 'encryption'): string[] {
  return keysFor(descriptor, use)
    .flatMap((key) => [...descendants(key)])
    .filter((element) => hasName(element, dsNamespace, 'X509Certificate'))
    .map((element) => readCertificate(textOf(element)));
}

function readCertificate(text: string): string {
  try {
    return writePem('CERTIFICATE', new X509Certificate(Buffer.from(text, 'base64')).raw);
  } catch {
    throw new SamlError('The metadata has a certificate that cannot be read.');
  }
}
