import { generateCertificate } from '../../lib/certificate/generate-certificate.ts';
import { ownPair } from '../../provider/install-defaults.ts';
import type { BootstrapStep } from './steps.ts';

const selfSignedCertificate = 'Gatehouse Self-signed Certificate';

/**
 * A pair for providers to sign with until an administrator brings another. RSA, since RS256 is what every OpenID
 * Connect client must understand; 2048 bits, since making 4096 takes seconds on a small machine and signing six times
 * as long, and the pair is valid for a year.
 */
export const certificates: BootstrapStep = {
  name: 'certificates',
  prepare: () =>
    generateCertificate({
      commonName: selfSignedCertificate,
      subjectAltNames: [],
      validityDays: 365,
      algorithm: 'rsa',
      rsaBits: 2048,
    }),
  async run({ ensure }, prepared) {
    // What `prepare` returned.
    const { certificate, key } = prepared as Awaited<ReturnType<typeof generateCertificate>>;
    await ensure(
      'svc_crypto.certificatekeypair',
      { name: selfSignedCertificate },
      { certificate_data: certificate, key_data: key },
      { managed: ownPair },
    );
  },
};
