import { normalizeType } from '../../../lib/ldap/dn.ts';
import type { Entry } from './search/match.ts';
import { Attributes } from './search/values.ts';

const text = '1.3.6.1.4.1.1466.115.121.1.15';
const ascii = '1.3.6.1.4.1.1466.115.121.1.26';
const name = '1.3.6.1.4.1.1466.115.121.1.12';
const integer = '1.3.6.1.4.1.1466.115.121.1.27';
const flag = '1.3.6.1.4.1.1466.115.121.1.7';
const time = '1.3.6.1.4.1.1466.115.121.1.24';
const oid = '1.3.6.1.4.1.1466.115.121.1.38';
const uuid = '1.3.6.1.1.16.1';

const syntaxes = {
  [text]: 'Directory String',
  [ascii]: 'IA5 String',
  [name]: 'DN',
  [integer]: 'INTEGER',
  [flag]: 'Boolean',
  [time]: 'Generalized Time',
  [oid]: 'OID',
  [uuid]: 'UUID',
} as const;

const equality: Readonly<Record<string, string>> = {
  [text]: 'caseIgnoreMatch',
  [ascii]: 'caseIgnoreIA5Match',
  [name]: 'distinguishedNameMatch',
  [integer]: 'integerMatch',
  [flag]: 'booleanMatch',
  [time]: 'generalizedTimeMatch',
  [oid]: 'objectIdentifierMatch',
  [uuid]: 'UUIDMatch',
};

interface Type {
  readonly oid: string;
  readonly syntax: keyof typeof syntaxes;
  readonly hasMany?: true;
}

const types: Readonly<Record<string, Type>> = {
  cn: { oid: '2.5.4.3', syntax: text },
  sn: { oid: '2.5.4.4', syntax: text },
  name: { oid: '2.5.4.41', syntax: text },
  displayName: { oid: '2.16.840.1.113730.3.1.241', syntax: text },
  uid: { oid: '0.9.2342.19200300.100.1.1', syntax: text },
  mail: { oid: '0.9.2342.19200300.100.1.3', syntax: ascii },
  sAMAccountName: { oid: '1.2.840.113556.1.4.221', syntax: text },
  objectClass: { oid: '2.5.4.0', syntax: oid, hasMany: true },
  ou: { oid: '2.5.4.11', syntax: text },
  dc: { oid: '0.9.2342.19200300.100.1.25', syntax: ascii },
  member: { oid: '2.5.4.31', syntax: name, hasMany: true },
  memberOf: { oid: '1.2.840.113556.1.2.102', syntax: name, hasMany: true },
  memberUid: { oid: '1.3.6.1.1.1.1.12', syntax: ascii, hasMany: true },
  uidNumber: { oid: '1.3.6.1.1.1.1.0', syntax: integer },
  gidNumber: { oid: '1.3.6.1.1.1.1.1', syntax: integer },
  homeDirectory: { oid: '1.3.6.1.1.1.1.3', syntax: ascii },
  distinguishedName: { oid: '2.5.4.49', syntax: name },
  'xak-active': { oid: 'xak-active-oid', syntax: flag },
  'xak-superuser': { oid: 'xak-superuser-oid', syntax: text },
};

const operational: Readonly<Record<string, Type>> = {
  createTimestamp: { oid: '2.5.18.1', syntax: time },
  modifyTimestamp: { oid: '2.5.18.2', syntax: time },
  pwdChangedTime: { oid: '1.3.6.1.4.1.42.2.27.8.1.16', syntax: time },
  entryDN: { oid: '1.3.6.1.1.20', syntax: name },
  entryUUID: { oid: '1.3.6.1.1.16.4', syntax: uuid },
  structuralObjectClass: { oid: '2.5.21.9', syntax: oid },
  subschemaSubentry: { oid: '2.5.18.10', syntax: name },
  hasSubordinates: { oid: '2.5.18.9', syntax: flag },
};

/** Sent only if a client asks for them by name or by `+`. */
export const operationalAttributes: ReadonlySet<string> = new Set(Object.keys(operational).map(normalizeType));

/** Those of the entries outside of all trees. */
const ofTheServer = [
  ...['supportedLDAPVersion', 'supportedControl', 'supportedExtension', 'vendorName', 'vendorVersion', 'description'],
  ...['namingContexts', 'rootDomainNamingContext', 'defaultNamingContext'],
  ...['objectClasses', 'attributeTypes', 'ldapSyntaxes'],
];

/**
 * RFC 4512, sections 4.2 and 5.1. Clients that read the schema ask for nothing that it lacks, be it the schema itself
 * (ldap3).
 */
const definitionsOfTheServer = [
  "( 2.5.21.6 NAME 'objectClasses' EQUALITY objectIdentifierFirstComponentMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.37 USAGE directoryOperation )",
  "( 2.5.21.5 NAME 'attributeTypes' EQUALITY objectIdentifierFirstComponentMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.3 USAGE directoryOperation )",
  "( 1.3.6.1.4.1.1466.101.120.16 NAME 'ldapSyntaxes' EQUALITY objectIdentifierFirstComponentMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.54 USAGE directoryOperation )",
  `( 1.3.6.1.4.1.1466.101.120.5 NAME 'namingContexts' SYNTAX ${name} USAGE dSAOperation )`,
  `( 1.3.6.1.4.1.1466.101.120.13 NAME 'supportedControl' SYNTAX ${oid} USAGE dSAOperation )`,
  `( 1.3.6.1.4.1.1466.101.120.7 NAME 'supportedExtension' SYNTAX ${oid} USAGE dSAOperation )`,
  `( 1.3.6.1.4.1.1466.101.120.15 NAME 'supportedLDAPVersion' SYNTAX ${integer} USAGE dSAOperation )`,
];

/** How attributes are spelt, by their normalized names. */
export const attributeNames: ReadonlyMap<string, string> = new Map(
  [...Object.keys(types), ...Object.keys(operational), ...ofTheServer].map((spelt) => [normalizeType(spelt), spelt]),
);

const classes = [
  "( 2.5.6.0 NAME 'top' ABSTRACT MUST objectClass )",
  "( 0.9.2342.19200300.100.4.13 NAME 'domain' SUP top STRUCTURAL MUST dc )",
  "( 2.5.6.5 NAME 'organizationalUnit' SUP top STRUCTURAL MUST ou )",
  "( 1.2.840.113556.1.5.45 NAME 'nsContainer' SUP top AUXILIARY MAY cn )",
  "( 2.5.6.6 NAME 'person' SUP top STRUCTURAL MUST ( sn $ cn ) )",
  "( 2.5.6.7 NAME 'organizationalPerson' SUP person STRUCTURAL )",
  "( 2.16.840.1.113730.3.2.2 NAME 'inetOrgPerson' SUP organizationalPerson STRUCTURAL MAY ( displayName $ mail $ uid ) )",
  "( 1.2.840.113556.1.5.9 NAME 'user' SUP top AUXILIARY MAY ( sAMAccountName $ memberOf $ name $ distinguishedName ) )",
  "( 1.3.6.1.1.1.2.0 NAME 'posixAccount' SUP top AUXILIARY MUST ( cn $ uid $ uidNumber $ gidNumber $ homeDirectory ) )",
  "( 1.3.6.1.1.1.2.2 NAME 'posixGroup' SUP top AUXILIARY MUST ( cn $ gidNumber ) MAY memberUid )",
  "( 2.5.6.9 NAME 'groupOfNames' SUP top STRUCTURAL MUST cn MAY member )",
  "( 2.5.6.17 NAME 'groupOfUniqueNames' SUP top AUXILIARY MUST cn )",
  "( 1.2.840.113556.1.5.8 NAME 'group' SUP top AUXILIARY MAY ( sAMAccountName $ member $ memberOf ) )",
];

const described = (names: Readonly<Record<string, Type>>, more: string) =>
  Object.entries(names).map(
    ([spelt, { oid: id, syntax, hasMany }]) =>
      `( ${id} NAME '${spelt}' EQUALITY ${equality[syntax]} SYNTAX ${syntax}${hasMany ? '' : ' SINGLE-VALUE'}${more} )`,
  );

/**
 * The entry that describes the classes and attributes of all others (RFC 4512, section 4.4). Clients that read it ask
 * for nothing that it lacks (ldap3), so that it has the attributes that a provider publishes, which are texts.
 */
export const subschema = (published: readonly string[]): Entry => ({
  dn: 'cn=subschema',
  attributes: new Attributes()
    .put('cn', 'subschema')
    .put('objectClass', 'top', 'subschema')
    .put('objectClasses', ...classes)
    .put(
      'attributeTypes',
      ...described(types, ''),
      ...described(
        Object.fromEntries(
          published
            .filter((one) => !attributeNames.has(normalizeType(one)))
            .map((one) => [one, { oid: `${one}-oid`, syntax: text, hasMany: true }]),
        ),
        '',
      ),
      ...described(operational, ' NO-USER-MODIFICATION USAGE directoryOperation'),
      ...definitionsOfTheServer,
    )
    .put('ldapSyntaxes', ...Object.entries(syntaxes).map(([id, what]) => `( ${id} DESC '${what}' )`)),
});
