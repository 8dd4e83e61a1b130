import { sql } from 'kysely';
import { readPem } from '../../../lib/pem.ts';
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

const samlp = 'urn:oasis:names:tc:SAML:2.0:protocol';
const postBinding = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST';
const redirectBinding = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';

/** The document with which an identity provider learns of this source (SAML metadata 2.0, section 2.4.4). */
export function spMetadata(source: SamlSource, certificates: Certificates, publicUrl: string): string {
  const base = `${publicUrl}/source/saml/${encodeURIComponent(source.slug)}`;
  const keys = [
    ...keyDescriptor('signing', source.signing_kp, certificates),
    ...keyDescriptor('encryption', source.encryption_kp, certificates),
  ];
  const logout = source.slo_url
    ? [redirectBinding, postBinding].map((binding) =>
        element('md:SingleLogoutService', { Binding: binding, Location: `${base}/slo/` }),
      )
    : [];
  const descriptor = element(
    'md:SPSSODescriptor',
    {
      protocolSupportEnumeration: samlp,
      AuthnRequestsSigned: String(source.signing_kp !== null),
      WantAssertionsSigned: String(source.verification_kp !== null),
    },
    [
      ...keys,
      ...logout,
      element('md:NameIDFormat', {}, [escapeXml(source.name_id_policy)]),
      element('md:AssertionConsumerService', {
        isDefault: 'true',
        index: '0',
        Binding: postBinding,
        Location: `${base}/acs/`,
      }),
    ],
  );
  const root = element(
    'md:EntityDescriptor',
    {
      'xmlns:md': 'urn:oasis:names:tc:SAML:2.0:metadata',
      'xmlns:ds': 'http://www.w3.org/2000/09/xmldsig#',
      entityID: source.issuer || `${base}/metadata/`,
    },
    [descriptor],
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}`;
}

function keyDescriptor(use: 'signing' | 'encryption', key: string | null, certificates: Certificates): string[] {
  const pem = key === null ? undefined : certificates.get(key);
  if (pem === undefined) return [];
  const certificate = element('ds:X509Certificate', {}, [escapeXml(firstCertificate(pem))]);
  return [
    element('md:KeyDescriptor', { use }, [element('ds:KeyInfo', {}, [element('ds:X509Data', {}, [certificate])])]),
  ];
}

const firstCertificate = (pem: string): string =>
  Buffer.from(readPem(pem).find(({ label }) => label === 'CERTIFICATE')?.bytes ?? []).toString('base64');

/** An element whose content is already XML. */
function element(name: string, attributes: Record<string, string>, content: readonly string[] = []): string {
  const pairs = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeXml(value)}"`);
  const start = `<${name}${pairs.join('')}`;
  return content.length === 0 ? `${start}/>` : `${start}>${content.join('')}</${name}>`;
}

// XML 1.0, section 2.2: control characters cannot be written at all, not even escaped.
const unwritable = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

function escapeXml(text: string): string {
  return text.replace(unwritable, '').replace(/[<>&"'\t\n\r]/g, (mark) => `&#${mark.charCodeAt(0)};`);
}
