import { type KeyObject, X509Certificate } from 'node:crypto';
import { decrypt, encrypt } from 'xml-encryption';
import { type XmlElement, XmlError } from './element.ts';
import { type Markup, standaloneXml } from './write-xml.ts';

const aes256Gcm = 'http://www.w3.org/2009/xmlenc11#aes256-gcm' as const;
const rsaOaep = 'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p' as const;

/** Encrypts for the holder of the certificate's key: AES-256-GCM, its key wrapped by RSA-OAEP. */
export function encryptXml({ markup }: Markup, certificate: string): Promise<Markup> {
  const publicKey = new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const options = {
    rsa_pub: publicKey,
    pem: certificate,
    encryptionAlgorithm: aes256Gcm,
    keyEncryptionAlgorithm: rsaOaep,
    disallowEncryptionWithInsecureAlgorithm: true,
  };
  return new Promise((resolve, reject) =>
    encrypt(markup, options, (error, text) => (error ? reject(error) : resolve({ markup: text }))),
  );
}

export interface DecryptWith {
  readonly privateKey: KeyObject;
  /** Whether the ciphertext stood under a signature that was verified, so that nobody can try ciphertexts of their own. */
  readonly isAuthentic: boolean;
}

/**
 * What an encrypted element holds. Ciphertext that anybody could have sent must be authenticated itself (GCM with OAEP):
 * with CBC and PKCS #1 v1.5, whoever can try often enough reads the content. One message for every failure, for that reason.
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
