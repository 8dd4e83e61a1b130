import type { KeyObject } from 'node:crypto';
import { SignedXml } from 'xml-crypto';
import { envelopedSignature, exclusiveC14n } from './algorithms.ts';
import { withOurAlgorithms } from './signature-algorithms.ts';
import type { Markup } from './write-xml.ts';

export interface SigningKey {
  readonly privateKey: KeyObject;
  /** Sent along, so that the other side can see which key was used. */
  readonly certificate: string;
  readonly signatureAlgorithm: string;
  readonly digestAlgorithm: string;
}

/** Signs the root element, which must have an `ID`; the signature follows its `Issuer`, as SAML requires. */
export function signXml({ markup }: Markup, key: SigningKey): Markup {
  const signer = withOurAlgorithms(
    new SignedXml({
      privateKey: key.privateKey,
      publicCert: key.certificate,
      signatureAlgorithm: key.signatureAlgorithm,
      canonicalizationAlgorithm: exclusiveC14n,
    }),
    { privateKey: key.privateKey },
    () => true,
  );
  signer.addReference({
    xpath: '/*',
    transforms: [envelopedSignature, exclusiveC14n],
    digestAlgorithm: key.digestAlgorithm,
  });
  signer.computeSignature(markup, {
    prefix: 'ds',
    location: { reference: "/*/*[local-name(.)='Issuer']", action: 'after' },
  });
  return { markup: signer.getSignedXml() };
}
