import { type Text, t } from '../texts/texts.ts';

/** Readable labels of the shipped stages, policies, rules and transports; the API keeps their names. */
const labels: Readonly<Record<string, Text>> = {
  'default-authentication-identification': 'Ask for username',
  'default-authentication-password': 'Ask for password',
  'default-authentication-mfa-validation': 'Second factor',
  'default-authentication-login': 'Sign in',
  'default-second-factor-required': 'Require a second factor',
  'default-second-factor-administrators': 'Administrators',
  'default-authenticator-static-setup': 'Set up recovery codes',
  'default-authenticator-totp-setup': 'Set up an authenticator app',
  'default-authenticator-webauthn-setup': 'Set up a passkey',
  'default-enrollment-address': 'Ask for an address',
  'default-enrollment-email': 'Confirm the address by mail',
  'default-enrollment-invitation': 'Check the invitation',
  'default-enrollment-login': 'Sign in after enrollment',
  'default-enrollment-prompt': 'Ask for account details',
  'default-enrollment-write': 'Create the account',
  'default-invalidation-logout': 'Sign out',
  'default-oobe-login': 'Sign in after the first setup',
  'default-oobe-write': 'Save the first administrator',
  'default-password-change-prompt': 'Ask for a new password',
  'default-password-change-write': 'Save the new password',
  'default-provider-authorization-consent': 'Ask for consent',
  'default-passkey-login': 'Sign in',
  'default-passkey-validation': 'Ask for a passkey',
  'default-registration-address': 'Ask for an address',
  'default-registration-email': 'Confirm the address by mail',
  'default-registration-login': 'Sign in after enrollment',
  'default-registration-prompt': 'Ask for account details',
  'default-registration-write': 'Create the account',
  'default-recovery-email': 'Send a recovery mail',
  'default-recovery-identification': 'Ask whose account to recover',
  'default-recovery-login': 'Sign in after recovery',
  'default-recovery-prompt': 'Ask for a new password',
  'default-recovery-write': 'Save the new password',
  'default-source-authentication-login': 'Sign in from a source',
  'default-source-enrollment-login': 'Sign in after enrollment',
  'default-source-enrollment-prompt': 'Ask for a username',
  'default-source-enrollment-write': 'Create the account',
  'default-user-settings': 'Ask for profile details',
  'default-user-settings-write': 'Save profile details',
  'stage-default-oobe-password': 'Ask for the first password',

  'default-authentication-flow-password-stage': 'If a password is needed',
  'default-notify-access-request': 'Requests for access',
  'default-notify-configuration-error': 'Configuration errors',
  'default-notify-exception': 'Failing policies and mappings',
  'default-notify-update': 'Available updates',
  'default-email-transport': 'Mail',
  'default-local-transport': 'Web interface',

  'default-match-access-request': 'Requests for access',
  'default-match-configuration-error': 'Configuration errors',
  'default-match-policy-exception': 'Failing policies',
  'default-match-property-mapping-exception': 'Failing mappings',
  'default-match-update': 'Available updates',
  'default-oobe-password-usable': 'Before the first setup',
  'default-password-change-if-no-password': 'Without a password',
  'default-password-change-if-password': 'With a password',
  'default-password-policy': 'Password rules',
  'default-recovery-flow-if-on': 'If recovery is on',
  'default-recovery-identification-if-unknown': 'If the account is not known yet',
  'default-source-authentication-if-sso': 'If people come from a source',
  'default-source-enrollment-if-sso': 'If people come from a source',
  'default-source-enrollment-if-username': 'If the username is missing',
  'default-user-settings-authorization': 'What people may change themselves',
};

/** The mappings of scopes, by their scope. */
const scopeLabels: Readonly<Record<string, Text>> = {
  address: 'Postal address',
  email: 'Email address',
  'gatehouse/api': 'Access to the API',
  gatehouse_proxy: 'Data for proxies',
  offline_access: 'Stay signed in',
  openid: 'Sign-in',
  phone: 'Phone number',
  profile: 'Profile',
};

/** What the other mappings of a new server fill, by the end of their name; the rest keep that end. */
const memberLabels: Readonly<Record<string, Text>> = {
  cn: 'Full name',
  'DN to User Path': 'Folder',
  displayName: 'Full name',
  Email: 'Email address',
  givenName: 'First name',
  Group: 'Group',
  Groups: 'Groups',
  isMemberOf: 'Groups',
  mail: 'Email address',
  Name: 'Name',
  sAMAccountName: 'Username',
  sn: 'Last name',
  uid: 'Username',
  'User ID': 'User ID',
  Username: 'Username',
};

/** `Email address (SAML)` for the mapping of a member by a protocol or product. */
function mappingLabel(name: string): string | null {
  const [, kind, oid, member = ''] =
    /^Gatehouse (?:default (.+) Mapping|(SAML) Mapping by OID): (.+)$/.exec(name) ?? [];
  if (member === '' || kind === 'OAuth') return null;
  const label = ownOf(memberLabels, member);
  return `${label ? t(label) : member} (${oid ? `${oid}, OID` : kind})`;
}

/** The flows of a new server by slug, as long as they keep the name that they came with. */
const flowLabels: Readonly<Record<string, readonly [name: RegExp, label: Text]>> = {
  'default-authentication-flow': [/^Welcome to Gatehouse!$/, 'Sign in'],
  'default-authenticator-static-setup': [/^default-authenticator-static-setup$/, 'Set up recovery codes'],
  'default-authenticator-totp-setup': [/^default-authenticator-totp-setup$/, 'Set up an authenticator app'],
  'default-authenticator-webauthn-setup': [/^default-authenticator-webauthn-setup$/, 'Set up a passkey'],
  'default-enrollment-flow': [/^Enrollment by invitation$/, 'Enrollment by invitation'],
  'default-invalidation-flow': [/^Logout$/, 'Sign out'],
  'default-password-change': [/^Change Password$/, 'Change password'],
  'default-provider-authorization-explicit-consent': [/^Authorize Application$/, 'Consent, always asked'],
  'default-provider-authorization-implicit-consent': [/^Authorize Application$/, 'Consent, never asked'],
  'default-recovery-flow': [/^Forgotten password$/, 'Recovery'],
  'default-source-authentication': [/^Welcome to Gatehouse!$/, 'Sign in from a source'],
  'default-source-enrollment': [/^Welcome to Gatehouse! Please select a username[.]$/, 'Enrollment from a source'],
  'default-source-pre-authentication': [/^Pre-authentication$/, 'Before sign-in at a source'],
  'default-user-settings-flow': [/^User settings$/, 'Change profile'],
  'initial-setup': [/^default-oobe-setup$/, 'First setup'],
};

/** The fields of forms of a new server, which are called `default-enrollment-field-email` and the like. */
const forms: Readonly<Record<string, Text>> = {
  'default-enrollment': 'Enrollment',
  'default-password-change': 'Change password',
  'default-recovery': 'Recovery',
  'default-source-enrollment': 'Enrollment from a source',
  'default-user-settings': 'Profile',
  'initial-setup': 'First setup',
};

const fields: Readonly<Record<string, Text>> = {
  email: 'Email address',
  header: 'Heading',
  locale: 'Language',
  name: 'Name',
  password: 'New password',
  'password-repeat': 'Repeat the password',
  username: 'Username',
};

const ownOf = <T>(of: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(of, name) ? of[name] : undefined;

const flowPath = /^\/flows\/instances\/([^/]+)\/$/;

/** What people call an object: the label of a shipped one, else its name. */
export const labelOfObject = ({ name, path }: { readonly name: string; readonly path: string }): string =>
  shippedLabel(name, flowPath.exec(path)?.[1]) ?? name;

/** The names, of flows the slugs, by which the server finds the shipped objects whose labels contain a text. */
export function shippedNamesFor(text: string): string[] {
  const wanted = text.trim().toLocaleLowerCase();
  if (wanted === '') return [];
  const called: [name: string, label: Text][] = [
    ...Object.entries(flowLabels).map(([slug, [, label]]): [string, Text] => [slug, label]),
    ...Object.entries(labels),
    ...Object.entries(scopeLabels).map(([scope, label]): [string, Text] => [`scope '${scope}'`, label]),
  ];
  return called.filter(([, label]) => t(label).toLocaleLowerCase().includes(wanted)).map(([name]) => name);
}

/** The readable label of a shipped object; null for all else. */
export function shippedLabel(name: string, slug?: unknown): string | null {
  const flow = typeof slug === 'string' ? ownOf(flowLabels, slug) : undefined;
  if (typeof slug === 'string') return flow?.[0].test(name) ? t(flow[1]) : null;
  const [, scope = ''] = /^Gatehouse default OAuth Mapping: scope '(.+)'$/.exec(name) ?? [];
  const label = ownOf(labels, name) ?? ownOf(scopeLabels, scope);
  if (label) return t(label);
  const [, form = '', field = ''] = /^(.+)-field-(.+)$/.exec(name) ?? [];
  const [ofForm, ofField] = [ownOf(forms, form), ownOf(fields, field)];
  return ofForm && ofField ? `${t(ofForm)}: ${t(ofField)}` : mappingLabel(name);
}
