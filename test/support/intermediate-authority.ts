import { webcrypto } from 'node:crypto';
import { library as x509 } from '../../src/lib/certificate/x509-library.ts';
import { writePem } from '../../src/lib/pem.ts';
import type { KeyPair } from './radius-network.ts';
import type { TestServer } from './server.ts';

const algorithm = { name: 'ECDSA', hash: 'SHA-256', namedCurve: 'P-256' };

/** An intermediate authority without its root, certificates of both for the same name, and one that has expired. */
export async function makeIntermediateAuthority({ admin }: TestServer, common_name: string) {
  const root = await issue('Root authority', null);
  const intermediate = await issue('Intermediate authority', root);
  const { pk } = (
    await admin.post('/crypto/certificatekeypairs/', {
      ...{ name: `Intermediate authority of ${common_name}`, certificate_data: intermediate.certificate },
    })
  ).body;
  const issued = await issue(common_name, intermediate);
  const ofRoot = await issue(common_name, root);
  const expired = await issue(common_name, intermediate, new Date('2020-01-01'));
  return { pk, issued: await keyPair(issued), ofRoot: await keyPair(ofRoot), expired: await keyPair(expired) };
}

interface Issued {
  readonly name: string;
  readonly keys: webcrypto.CryptoKeyPair;
  readonly certificate: string;
}

async function issue(name: string, issuer: Issued | null, notAfter?: Date): Promise<Issued> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.create({
    ...{ subject: `CN=${name}`, issuer: `CN=${issuer?.name ?? name}`, signingAlgorithm: algorithm },
    ...{ publicKey: keys.publicKey, signingKey: (issuer ?? { keys }).keys.privateKey },
    ...(notAfter && { notBefore: new Date(0), notAfter }),
    extensions: [new x509.BasicConstraintsExtension(name.endsWith('authority'), undefined, true)],
  });
  return { name, keys, certificate: certificate.toString('pem') };
}

async function keyPair({ keys, certificate }: Issued): Promise<KeyPair> {
  const key = new Uint8Array(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
  return { pk: '', certificate, key: writePem('PRIVATE KEY', key) };
}
