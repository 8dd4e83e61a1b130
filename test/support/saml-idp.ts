import { createPrivateKey } from 'node:crypto';
import { generateCertificate } from '../../src/lib/certificate/generate-certificate.ts';
import { samlInstant } from '../../src/lib/saml/message.ts';
import { assertionNamespace, bearerConfirmation, nameIdFormats, protocolNamespace } from '../../src/lib/saml/names.ts';
import { type SigningKey, signXml } from '../../src/lib/xml/sign.ts';
import { type Markup, xml } from '../../src/lib/xml/write-xml.ts';

/** What an identity provider says in an answer; tests change single parts of it. */
export interface Told {
  /** By default now. */
  readonly authenticatedAt?: number;
  readonly idp: string;
  readonly audience: string | null;
  readonly recipient: string;
  readonly destination: string | null;
  readonly inResponseTo: string | null;
  readonly assertionId: string;
  readonly responseId: string;
  readonly nameId: string;
  readonly format: string;
  readonly attributes: Readonly<Record<string, readonly string[]>>;
  readonly sessionIndex: string | null;
  readonly now: number;
  /** Milliseconds from now. */
  readonly notBefore: number;
  readonly notOnOrAfter: number;
  readonly status: string;
}

export interface IdpKey extends SigningKey {
  readonly key: string;
}

/** A key pair of an identity provider. */
export async function idpKey(more: Partial<SigningKey> = {}): Promise<IdpKey> {
  const request = { commonName: 'idp', subjectAltNames: [], validityDays: 1, algorithm: 'rsa', rsaBits: 2048 } as const;
  const { certificate, key } = await generateCertificate(request);
  return {
    key,
    certificate,
    privateKey: createPrivateKey(key),
    signatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    digestAlgorithm: 'http://www.w3.org/2001/04/xmlenc#sha256',
    ...more,
  };
}

let last = 0;
const nextId = (word: string) => `${word}-${process.pid}-${Date.now()}-${++last}`;

export const told = (more: Partial<Told> & Pick<Told, 'audience' | 'recipient'>): Told => ({
  idp: 'https://idp.example/metadata',
  destination: more.recipient,
  inResponseTo: null,
  assertionId: nextId('assertion'),
  responseId: nextId('response'),
  nameId: 'dana',
  format: nameIdFormats.persistent,
  attributes: {},
  sessionIndex: 'session-1',
  now: Date.now(),
  notBefore: -60_000,
  notOnOrAfter: 300_000,
  status: 'urn:oasis:names:tc:SAML:2.0:status:Success',
  ...more,
});

const namespaces = { 'xmlns:saml': assertionNamespace, 'xmlns:samlp': protocolNamespace };
const at = (moment: number) => samlInstant(new Date(moment));

export function assertionMarkup(about: Told, ...extra: Markup[]): Markup {
  const { now, notBefore, notOnOrAfter, audience } = about;
  return xml(
    'saml:Assertion',
    { ...namespaces, ID: about.assertionId, Version: '2.0', IssueInstant: at(now) },
    xml('saml:Issuer', {}, about.idp),
    ...extra,
    xml(
      'saml:Subject',
      {},
      xml('saml:NameID', { Format: about.format }, about.nameId),
      xml(
        'saml:SubjectConfirmation',
        { Method: bearerConfirmation },
        xml('saml:SubjectConfirmationData', {
          InResponseTo: about.inResponseTo,
          Recipient: about.recipient,
          NotOnOrAfter: at(now + notOnOrAfter),
        }),
      ),
    ),
    xml(
      'saml:Conditions',
      { NotBefore: at(now + notBefore), NotOnOrAfter: at(now + notOnOrAfter) },
      audience === null ? null : xml('saml:AudienceRestriction', {}, xml('saml:Audience', {}, audience)),
    ),
    xml('saml:AuthnStatement', { AuthnInstant: at(about.authenticatedAt ?? now), SessionIndex: about.sessionIndex }),
    Object.keys(about.attributes).length === 0
      ? null
      : xml(
          'saml:AttributeStatement',
          {},
          Object.entries(about.attributes).map(([Name, values]) =>
            xml(
              'saml:Attribute',
              { Name },
              values.map((value) => xml('saml:AttributeValue', {}, value)),
            ),
          ),
        ),
  );
}

export function responseMarkup(about: Told, ...inside: Markup[]): Markup {
  return xml(
    'samlp:Response',
    {
      ...namespaces,
      ID: about.responseId,
      Version: '2.0',
      IssueInstant: at(about.now),
      Destination: about.destination,
      InResponseTo: about.inResponseTo,
    },
    xml('saml:Issuer', {}, about.idp),
    xml('samlp:Status', {}, xml('samlp:StatusCode', { Value: about.status })),
    ...inside,
  );
}

/** A response whose assertion is signed. */
export const signedResponse = (about: Told, key: SigningKey): string =>
  responseMarkup(about, signXml(assertionMarkup(about), key)).markup;
