import type { BootstrapStep } from './steps.ts';

const mappings: readonly (readonly [managed: string, name: string, expression: string])[] = [
  [
    'default-dn-path',
    'Gatehouse default LDAP Mapping: DN to User Path',
    `// The units above the entry, the outermost first: uid=ada,ou=berlin,ou=staff gives staff/berlin.
const units = rdns.slice(1).filter(({ type }) => type !== "cn" && type !== "dc");
return { path: [source.path, ...units.map(({ value }) => value.replaceAll("/", "-")).reverse()].join("/") };`,
  ],
  ['default-name', 'Gatehouse default LDAP Mapping: Name', 'return { name: ldap.name?.[0] ?? null };'],
  ['default-mail', 'Gatehouse default LDAP Mapping: mail', 'return { email: ldap.mail?.[0] ?? null };'],
  [
    'ms-samaccountname',
    'Gatehouse default Active Directory Mapping: sAMAccountName',
    'return { username: ldap.sAMAccountName?.[0] ?? null };',
  ],
  [
    'ms-userprincipalname',
    'Gatehouse default Active Directory Mapping: userPrincipalName',
    'return { attributes: { upn: ldap.userPrincipalName?.[0] ?? null } };',
  ],
  [
    'ms-givenName',
    'Gatehouse default Active Directory Mapping: givenName',
    'return { attributes: { givenName: ldap.givenName?.[0] ?? null } };',
  ],
  ['ms-sn', 'Gatehouse default Active Directory Mapping: sn', 'return { attributes: { sn: ldap.sn?.[0] ?? null } };'],
  ['openldap-uid', 'Gatehouse default OpenLDAP Mapping: uid', 'return { username: ldap.uid?.[0] ?? null };'],
  ['openldap-cn', 'Gatehouse default OpenLDAP Mapping: cn', 'return { name: ldap.cn?.[0] ?? null };'],
];

/** The mappings of OpenLDAP and Active Directory; a step of its own, so that databases from before get them too. */
export const ldapMappings: BootstrapStep = {
  name: 'ldap-mappings',
  async run({ ensure }) {
    for (const [managed, name, expression] of mappings) {
      await ensure(
        'svc_sources_ldap.ldapsourcepropertymapping',
        { managed: `gatehouse/sources/ldap/${managed}` },
        { name, expression },
      );
    }
  },
};
