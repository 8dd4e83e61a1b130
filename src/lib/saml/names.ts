/** Names that the SAML 2.0 specifications fix. */
export const assertionNamespace = 'urn:oasis:names:tc:SAML:2.0:assertion';
export const protocolNamespace = 'urn:oasis:names:tc:SAML:2.0:protocol';
export const metadataNamespace = 'urn:oasis:names:tc:SAML:2.0:metadata';

export const bindings = {
  redirect: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect',
  post: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST',
  soap: 'urn:oasis:names:tc:SAML:2.0:bindings:SOAP',
} as const;

export const nameIdFormats = {
  email: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
  persistent: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
  transient: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient',
  unspecified: 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified',
  windows: 'urn:oasis:names:tc:SAML:1.1:nameid-format:WindowsDomainQualifiedName',
  x509: 'urn:oasis:names:tc:SAML:1.1:nameid-format:X509SubjectName',
} as const;

/** Two formats belong to SAML 1.1, but several products write them with 2.0. */
const otherSpellings: Readonly<Record<string, string>> = {
  'urn:oasis:names:tc:SAML:2.0:nameid-format:X509SubjectName': nameIdFormats.x509,
  'urn:oasis:names:tc:SAML:2.0:nameid-format:WindowsDomainQualifiedName': nameIdFormats.windows,
};

const nameIdLabelsByEnd: Readonly<Record<string, string>> = {
  emailAddress: 'Email address',
  WindowsDomainQualifiedName: 'Windows domain name',
  X509SubjectName: 'X.509 subject name',
};

/** What people call these formats, where that does not follow from the end of the name. */
export const nameIdLabels = (formats: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    formats.flatMap((format) => {
      const label = nameIdLabelsByEnd[format.slice(format.lastIndexOf(':') + 1)];
      return label === undefined ? [] : [[format, label]];
    }),
  );

/** The format as the specification spells it. */
export const specifiedFormat = (format: string): string => otherSpellings[format] ?? format;

const status = 'urn:oasis:names:tc:SAML:2.0:status:';
export const statusCodes = {
  success: `${status}Success`,
  requester: `${status}Requester`,
  responder: `${status}Responder`,
  authnFailed: `${status}AuthnFailed`,
  noPassive: `${status}NoPassive`,
  requestDenied: `${status}RequestDenied`,
  invalidNameIdPolicy: `${status}InvalidNameIDPolicy`,
  noAuthnContext: `${status}NoAuthnContext`,
  partialLogout: `${status}PartialLogout`,
} as const;

export const bearerConfirmation = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';
