import type { SignedIn } from '../../../lib/saml/assertion.ts';
import { nameIdFormats } from '../../../lib/saml/names.ts';
import type { Identity } from '../../../source/properties.ts';
import { SourceRefusal } from '../../../source/source-refusal.ts';

const claims = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims';
const emailNames = ['email', 'mail', 'emailAddress', `${claims}/emailaddress`, 'urn:oid:0.9.2342.19200300.100.1.3'];
const nameNames = [
  ...['name', 'displayName', 'http://schemas.microsoft.com/identity/claims/displayname', 'cn'],
  ...['urn:oid:2.16.840.1.113730.3.1.241', 'urn:oid:2.5.4.3', `${claims}/name`],
];
const groupNames = ['http://schemas.xmlsoap.org/claims/Group', 'groups'];
const maxIdentifier = 255;

/** The identity in a verified assertion. */
export function identityOf(
  { nameId, attributes }: Pick<SignedIn, 'nameId' | 'attributes'>,
  sourceName: string,
): Identity {
  const { value, format } = nameId;
  if (value === '' || value.length > maxIdentifier) {
    throw new SourceRefusal(`${sourceName} did not say who you are: could not determine id.`);
  }
  const first = (names: readonly string[]) =>
    names.flatMap((name) => attributes[name] ?? []).find((text) => text !== '');
  const groups = groupNames.flatMap((name) => attributes[name] ?? []).filter((group) => group !== '');
  const isAddress = format === nameIdFormats.email;
  const email = first(emailNames) ?? (isAddress ? value : '');
  return {
    identifier: value,
    username: value,
    email,
    // SAML does not define it: an address counts as confirmed if it is the username, or by an attribute.
    isEmailConfirmed: (isAddress && email === value) || first(['email_verified']) === 'true',
    name: first(nameNames) ?? '',
    ...(groups.length > 0 && { groups: [...new Set(groups)] }),
    info: { attributes: copyOf(attributes), name_id: { value, format } },
  };
}

const copyOf = (attributes: SignedIn['attributes']) =>
  Object.fromEntries(Object.entries(attributes).map(([name, values]) => [name, [...values]]));
