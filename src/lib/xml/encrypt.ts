import { type KeyObject, X509Certificate } from 'node:crypto';
import { decrypt, encrypt } from 'xml-encryption';
import { type XmlElement, XmlError } from './element.ts';
import { type Markup, standaloneXml } from './write-xml.ts';

const aes256Gcm = 'http://www.w3.org/2009/xmlenc11#aes256-gcm' as const;
const aes256Cbc = 'http://www.w3.org/2001/04/xmlenc#aes256-cbc' as const;
/** Content ciphers; the first is the most widely supported, the last is the best. */
export const contentCiphers = [aes256Cbc, aes256Gcm] as const;
export type ContentCipher = (typeof contentCiphers)[number];
const rsaOaep = 'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p' as const;
const aes128Gcm = 'http://www.w3.org/2009/xmlenc11#aes128-gcm' as const;

/** What `decryptXml` accepts from anyone, the preferred first (SAML metadata §2.4.1.1, EncryptionMethod). */
export const acceptedEncryption = [aes256Gcm, aes128Gcm, rsaOaep] as const;

/** Encrypts for the holder of the certificate's key: by AES-256, its key wrapped by RSA-OAEP. */
export function encryptXml(
  { markup }: Markup,
  certificate: string,
  encryptionAlgorithm: ContentCipher = aes256Gcm,
): Promise<Markup> {
  const publicKey = new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const options = {
    rsa_pub: publicKey,
    pem: certificate,
    encryptionAlgorithm,
    keyEncryptionAlgorithm: rsaOaep,
    // CBC is vulnerable to padding oracles. Old service providers support nothing else.
    disallowEncryptionWithInsecureAlgorithm: encryptionAlgorithm !== aes256Cbc,
    warnInsecureAlgorithm: false,
  };
  return new Promise((resolve, reject) =>
    encrypt(markup, options, (error, text) => (error ? reject(error) : resolve({ markup: text }))),
  );
}

export interface DecryptWith {
  readonly privateKey: KeyObject;
  /** Whether the ciphertext is covered by a verified signature, which rules out chosen ciphertexts. */
  readonly isAuthentic: boolean;
}

/**
 * Decrypts an element. Unsigned ciphertext must be authenticated itself (GCM with OAEP):
 * CBC and PKCS #1 v1.5 are padding oracles. One message for all failures, for the same reason.
 */
export async function decryptXml(encrypted: XmlElement, { privateKey, isAuthentic }: DecryptWith): Promise<string> {
  const options = {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    disallowDecryptionWithInsecureAlgorithm: !isAuthentic,
    warnInsecureAlgorithm: false,
  };
  const text = await new Promise<string | null>((resolve) =>
    decrypt(standaloneXml(encrypted), options, (error, content) => resolve(error ? null : content)),
  );
  if (!text) throw new XmlError('The encrypted content cannot be opened with our key and an accepted algorithm.');
  return text;
}
