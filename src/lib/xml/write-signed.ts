import { hash, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { readPem } from '../pem.ts';
import { digests, dsNamespace, envelopedSignature, exclusiveC14n, signatureMethods } from './algorithms.ts';
import type { SigningKey } from './sign.ts';
import { requireKeyKind } from './signature-algorithms.ts';
import { type Markup, xml } from './write-xml.ts';

const signOffThread = promisify(sign);

/** A document of our own. `write` puts the signature where it belongs, and must write canonical XML (see `xml`). */
export interface Signable {
  readonly id: string;
  write(signature: Markup | null): Markup;
}

/**
 * Writes a document with an enveloped signature, or without one if there is no key. The document is already canonical,
 * so nothing has to be parsed to be signed.
 */
export async function writeSigned({ id, write }: Signable, key: SigningKey | null): Promise<Markup> {
  return write(key && (await signatureOf(id, write(null), key)));
}

async function signatureOf(id: string, { markup }: Markup, key: SigningKey): Promise<Markup> {
  const { privateKey, certificate, signatureAlgorithm, digestAlgorithm } = key;
  const method = signatureMethods[signatureAlgorithm];
  const digest = digests[digestAlgorithm];
  if (!method || !digest) throw new Error(`Unsupported algorithms ${signatureAlgorithm} and ${digestAlgorithm}.`);
  requireKeyKind(method.key, privateKey);
  const inside = [
    xml('ds:CanonicalizationMethod', { Algorithm: exclusiveC14n }),
    xml('ds:SignatureMethod', { Algorithm: signatureAlgorithm }),
    xml(
      'ds:Reference',
      { URI: `#${id}` },
      xml(
        'ds:Transforms',
        {},
        xml('ds:Transform', { Algorithm: envelopedSignature }),
        xml('ds:Transform', { Algorithm: exclusiveC14n }),
      ),
      xml('ds:DigestMethod', { Algorithm: digestAlgorithm }),
      xml('ds:DigestValue', {}, hash(digest, markup, 'base64')),
    ),
  ];
  // It is signed as a document of its own, where it declares its namespace itself.
  const octets = Buffer.from(xml('ds:SignedInfo', { 'xmlns:ds': dsNamespace }, inside).markup);
  const value = await signOffThread(method.hash, octets, { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return xml(
    'ds:Signature',
    { 'xmlns:ds': dsNamespace },
    xml('ds:SignedInfo', {}, inside),
    xml('ds:SignatureValue', {}, value.toString('base64')),
    xml('ds:KeyInfo', {}, certificateMarkup(certificate)),
  );
}

/** The first certificate of a PEM text, inside an element that declares `ds`. */
export const certificateMarkup = (pem: string): Markup =>
  xml('ds:X509Data', {}, xml('ds:X509Certificate', {}, bodyOf(pem)));

const bodyOf = (pem: string): string =>
  Buffer.from(readPem(pem).find(({ label }) => label.endsWith('CERTIFICATE'))?.bytes ?? []).toString('base64');
