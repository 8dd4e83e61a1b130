import { sql } from 'kysely';
import { readPem } from '../../../lib/pem.ts';
import { bindings, metadataNamespace, protocolNamespace } from '../../../lib/saml/names.ts';
import { dsNamespace } from '../../../lib/xml/algorithms.ts';
import { type Markup, xml } from '../../../lib/xml/write-xml.ts';
import type { Query } from '../../../platform/db/database.ts';

/** What the metadata of a service provider tells of a source. */
export interface SamlSource {
  readonly slug: string;
  readonly issuer: string;
  readonly slo_url: string | null;
  readonly name_id_policy: string;
  readonly verification_kp: string | null;
  readonly signing_kp: string | null;
  readonly encryption_kp: string | null;
}

/** Certificates in PEM by the key of their pair. */
export type Certificates = ReadonlyMap<string, string>;

export async function loadCertificates({ signing_kp, encryption_kp }: SamlSource, query: Query): Promise<Certificates> {
  const keys = [signing_kp, encryption_kp].filter((key) => key !== null);
  if (keys.length === 0) return new Map();
  const { rows } = await sql<{ pk: string; certificate_data: string }>`select pk, certificate_data from certificates
    where pk in (${sql.join(keys)})`.execute(query);
  return new Map(rows.map(({ pk, certificate_data }) => [pk, certificate_data]));
}

/** The document with which an identity provider learns of this source (SAML metadata 2.0, section 2.4.4). */
export function spMetadata(source: SamlSource, certificates: Certificates, publicUrl: string): string {
  const base = `${publicUrl}/source/saml/${encodeURIComponent(source.slug)}`;
  const logout = source.slo_url === null || source.slo_url === '' ? [] : [bindings.redirect, bindings.post];
  const descriptor = xml(
    'md:SPSSODescriptor',
    {
      protocolSupportEnumeration: protocolNamespace,
      AuthnRequestsSigned: String(source.signing_kp !== null),
      WantAssertionsSigned: String(source.verification_kp !== null),
    },
    keyDescriptor('signing', source.signing_kp, certificates),
    keyDescriptor('encryption', source.encryption_kp, certificates),
    logout.map((Binding) => xml('md:SingleLogoutService', { Binding, Location: `${base}/slo/` })),
    xml('md:NameIDFormat', {}, source.name_id_policy),
    xml('md:AssertionConsumerService', {
      isDefault: 'true',
      index: '0',
      Binding: bindings.post,
      Location: `${base}/acs/`,
    }),
  );
  const namespaces = { 'xmlns:md': metadataNamespace, 'xmlns:ds': dsNamespace };
  const root = xml(
    'md:EntityDescriptor',
    { ...namespaces, entityID: source.issuer || `${base}/metadata/` },
    descriptor,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root.markup}`;
}

function keyDescriptor(use: 'signing' | 'encryption', key: string | null, certificates: Certificates): Markup | null {
  const pem = key === null ? undefined : certificates.get(key);
  if (pem === undefined) return null;
  const certificate = xml('ds:X509Certificate', {}, firstCertificate(pem));
  return xml('md:KeyDescriptor', { use }, xml('ds:KeyInfo', {}, xml('ds:X509Data', {}, certificate)));
}

const firstCertificate = (pem: string): string =>
  Buffer.from(readPem(pem).find(({ label }) => label === 'CERTIFICATE')?.bytes ?? []).toString('base64');
