import { grantOn } from './grants.ts';
import { runLdap, type ToolResult } from './ldap-tools.ts';
import type { TestServer } from './server.ts';

export const ldapPorts = { GATEHOUSE_LDAP_PORT: '0', GATEHOUSE_LDAPS_PORT: '0' };
export const base = 'DC=ldap,DC=example,DC=com';
export const password = 'correct horse battery staple';

export interface Directory {
  readonly provider: number;
  readonly url: string;
  readonly tlsUrl: string;
  dnOf(username: string): string;
  /** A new user who can bind. */
  person(username: string, values?: Record<string, unknown>): Promise<{ readonly pk: number }>;
  /** One who finds everybody. */
  service(username: string): Promise<{ readonly pk: number }>;
  whoami(dn: string, password: string, url?: string): Promise<ToolResult>;
  /** Searches as a user below the base. */
  search(username: string, args: readonly string[], url?: string): Promise<ToolResult>;
  change(values: Record<string, unknown>): Promise<void>;
}

/** A provider with an application, served by LDAP. */
export async function makeDirectory(server: TestServer, values: Record<string, unknown> = {}): Promise<Directory> {
  const { admin } = server;
  const made = await admin.post('/providers/ldap/', { name: 'Directory', base_dn: base, ...values });
  if (made.status !== 201) throw new Error(made.text);
  const provider: number = made.body.pk;
  await admin.post('/core/applications/', { name: 'Files', slug: 'files', provider });
  const url = server.listening.LDAP ?? '';
  const dnOf = (username: string) => `cn=${username},ou=users,${base}`;
  const person: Directory['person'] = async (username, more = {}) => {
    const user = await admin.post('/core/users/', { username, name: username, ...more });
    if (user.status !== 201) throw new Error(user.text);
    await admin.post(`/core/users/${user.body.pk}/set_password/`, { password });
    return { pk: user.body.pk };
  };
  return {
    ...{ provider, url, dnOf, person },
    tlsUrl: server.listening.LDAPS ?? '',
    async service(username) {
      const user = await person(username);
      await grantOn(server, user.pk, 'svc_providers_ldap.search_full_directory', provider);
      return user;
    },
    whoami: (dn, given, at = url) => runLdap('ldapwhoami', at, ['-D', dn, '-w', given]),
    search: (username, args, at = url) =>
      runLdap('ldapsearch', at, ['-LLL', '-D', dnOf(username), '-w', password, '-b', base, ...args]),
    async change(changed) {
      const answer = await admin.patch(`/providers/ldap/${provider}/`, changed);
      if (answer.status !== 200) throw new Error(answer.text);
    },
  };
}
