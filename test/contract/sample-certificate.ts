import { generateCertificate } from '../../src/lib/certificate/generate-certificate.ts';

const makeSamplePair = () =>
  generateCertificate({
    commonName: 'sample.example.com',
    subjectAltNames: [],
    validityDays: 30,
    algorithm: 'rsa',
    rsaBits: 2048,
  });
let made: ReturnType<typeof makeSamplePair> | undefined;

/** One pair for all samples, since generating it is slow: it may sign and decrypt. */
export function samplePair(): ReturnType<typeof makeSamplePair> {
  made ??= makeSamplePair();
  return made;
}

/** Metadata of a SAML identity provider that signs with the sample pair. */
export async function idpMetadata(): Promise<string> {
  const { certificate } = await samplePair();
  const data = certificate.replaceAll(/-----[^-]+-----|\s/g, '');
  return `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="urn:idp"><IDPSSODescriptor
    protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><KeyDescriptor><KeyInfo
    xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>${data}</X509Certificate></X509Data></KeyInfo></KeyDescriptor>
    <SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="https://idp.example.com/"/>
    </IDPSSODescriptor></EntityDescriptor>`;
}
