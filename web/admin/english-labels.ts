import { acronyms } from '../../src/lib/acronyms.ts';

/** Names that do not follow from the value. */
const names: Readonly<Record<string, string>> = {
  authenticators: 'Devices',
  authorize_application: 'Signed in to an application',
  aws: 'AWS',
  azuread: 'Microsoft Entra ID',
  bind_asn: 'Same autonomous system',
  bind_asn_network: 'Same autonomous system and network',
  bind_asn_network_ip: 'Same autonomous system, network and IP address',
  bind_continent: 'Same continent',
  bind_continent_country: 'Same continent and country',
  bind_continent_country_city: 'Same continent, country and city',
  crypto: 'Certificates',
  custom_: 'Custom',
  'date-time': 'Date and time',
  email_deny: 'Refuse if the email address is taken',
  email_link: 'Link to the user with the same email address',
  emailAddress: 'Email address',
  fapi2: 'FAPI 2.0',
  github: 'GitHub',
  gitlab: 'GitLab',
  model_created: 'Object created',
  model_deleted: 'Object deleted',
  model_updated: 'Object changed',
  name_deny: 'Refuse if the name is taken',
  name_link: 'Link to the group with the same name',
  oauth2: 'OAuth 2',
  openidconnect: 'OpenID Connect',
  policy_execution: 'Decision of a policy',
  post: 'POST',
  POST_AUTO: 'POST, sent automatically',
  propertymappings: 'Property mappings',
  rbac: 'Roles and permissions',
  REDIRECT: 'Redirect',
  regex: 'Regular expression',
  secret_rotate: 'Secret renewed',
  secret_view: 'Secret shown',
  sfdc: 'Salesforce',
  soap: 'SOAP',
  static: 'Fixed text',
  strict: 'Exactly this',
  'svc.core.auth.InbuiltBackend': 'Passwords of users',
  'svc.core.auth.TokenBackend': 'App passwords',
  'svc.sources.ldap.auth.LDAPBackend': 'Passwords of LDAP directories',
  system_task_exception: 'Job failed',
  system_task_execution: 'Job done',
  twofactor: 'Two-factor service',
  // The status of a job that has not run.
  unknown: 'Waiting',
  user_write: 'Account saved',
  username_deny: 'Refuse if the username is taken',
  username_link: 'Link to the user with the same username',
  vcenter: 'vCenter',
  webhook_slack: 'Webhook (Slack)',
  WindowsDomainQualifiedName: 'Windows domain name',
  X509SubjectName: 'X.509 subject name',
  'xak-locale': 'Language',
};

/** The same, for the values of one member. */
const namesOf: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  device_classes: { static: 'Recovery codes', totp: 'Authenticator app', webauthn: 'Passkey' },
  smtp_security: { none: 'STARTTLS if offered', starttls: 'STARTTLS', tls: 'TLS' },
};

/** What pages call kinds of objects otherwise than the API does: as people call them. */
const kinds: Readonly<Record<string, string>> = {
  'authenticated session': 'Session',
  'certificate-key pair': 'Certificate',
  'outpost service-connection': 'Service connection',
  'static authenticator setup stage': 'Recovery code setup stage',
  'static device': 'Recovery code list',
  'system task': 'Job',
  'TOTP authenticator setup stage': 'Authenticator app setup stage',
  'TOTP device': 'Authenticator app',
  'WebAuthn authenticator setup stage': 'Passkey setup stage',
  'WebAuthn device': 'Passkey',
};

const wordsOfKinds: Readonly<Record<string, string>> = {
  mediasrc: 'media server',
  'service-connection': 'service connection',
  'service-connections': 'service connections',
  twofactor: 'two-factor',
};

/** The English name of a kind of objects, of one or of many: `SAML Providers` is `SAML providers`. */
export function englishKind(name: string): string {
  const small = inSmallLetters(name);
  const one = kinds[small.replace(/s$/, '')];
  if (one) return small.endsWith('s') ? `${one}s` : one;
  return capitalised(small.replace(/[\w-]+/g, (word) => wordsOfKinds[word] ?? word));
}

/** `OAuth Source`: `OAuth source`. */
export const inSmallLetters = (name: string): string =>
  name
    .split(' ')
    .map((word) => (/^[A-Z][a-z]+(-[A-Z]?[a-z]+)*$/.test(word) ? word.toLowerCase() : word))
    .join(' ');

/**
 * The English name of a value: `app_password` is `App password`; of an identifier in URN form, its last part counts.
 */
export function englishOf(value: string, member = ''): string {
  const algorithm = /^https?:.*#(.+)$/.exec(value)?.[1];
  if (algorithm) return algorithm.toUpperCase();
  const last = value.startsWith('urn:') ? value.slice(value.lastIndexOf(':') + 1) : value;
  // Names of models and apps stay as they are.
  return namesOf[member]?.[last] ?? names[last] ?? (last.includes('.') ? last : spelledOut(last));
}

function spelledOut(value: string): string {
  const text = value
    .split(/[_-]+/)
    .filter(Boolean)
    .map((word) => acronyms[word] ?? word)
    .join(' ');
  return capitalised(text);
}

export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
