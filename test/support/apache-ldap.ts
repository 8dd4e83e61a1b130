import { join } from 'node:path';
import { type Apache, runApache, usual } from './apache.ts';
import { hasDebianPackage } from './debian-package.ts';

const modules = '/usr/lib/apache2/modules';

/** Whether there is an Apache with `mod_authnz_ldap`, installed if need be. Call it at the top level of a test file. */
export const findApacheLdap = (): Promise<boolean> =>
  hasDebianPackage('apache2', ['/usr/sbin/apache2', join(modules, 'mod_authnz_ldap.so')]);

interface Directory {
  /** The server and the base. */
  readonly url: string;
  readonly bindDn: string;
  readonly password: string;
  /** The name of the group whose members get in. */
  readonly group: string;
}

/** Protects everything below `/protected/` with the members of a group in a directory. */
export const startApacheLdap = (port: number, { url, bindDn, password, group }: Directory): Promise<Apache> =>
  runApache(port, {
    loaded: ['auth_basic', 'ldap', 'authnz_ldap'].map(usual),
    directives: () => `LDAPCacheEntries 0
LDAPOpCacheEntries 0
<Location /protected>
  AuthType Basic
  AuthName files
  AuthBasicProvider ldap
  AuthLDAPURL "${url}?uid?sub?(objectClass=inetOrgPerson)"
  AuthLDAPBindDN "${bindDn}"
  AuthLDAPBindPassword "${password}"
  AuthLDAPGroupAttribute member
  AuthLDAPGroupAttributeIsDN on
  Require ldap-group ${group}
</Location>
`,
  });
