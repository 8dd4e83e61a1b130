const spellings: Readonly<Record<string, string>> = {
  rac: 'RAC',
  rbac: 'RBAC',
  oauth: 'OAuth',
  oauth2: 'OAuth2',
  saml: 'SAML',
  scim: 'SCIM',
  ldap: 'LDAP',
  geoip: 'GeoIP',
  webauthn: 'WebAuthn',
  totp: 'TOTP',
  sms: 'SMS',
};
const families = ['policies', 'providers', 'sources', 'stages'];

/** The display name of an app: `svc_policies_event_matcher` is `Policies.Event Matcher`. */
export function appLabel(app: string): string {
  const words = app
    .replace(/^svc_/, '')
    .split('_')
    .map((word) => spellings[word] ?? word[0]?.toUpperCase() + word.slice(1));
  const [first = '', ...rest] = words;
  if (rest.length === 0 || !families.includes(first.toLowerCase())) return words.join(' ');
  return `${first}.${rest.join(' ')}`;
}
