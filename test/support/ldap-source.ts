import type { Api } from './api.ts';
import { until } from './jobs.ts';
import { rootDn, rootPassword, type Slapd, suffix } from './slapd.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies freely
type Made = any;

/** Where test servers may reach directories on this machine. */
export const localDirectories = { env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.0/8, ::1' } };

/** The keys of shipped mappings. */
export async function shippedMappings(admin: Api, names: readonly string[]): Promise<string[]> {
  const { body } = await admin.get('/propertymappings/source/ldap/?page_size=100');
  return names.map(
    (name) =>
      body.results.find(({ managed }: Made) => managed === `gatehouse/sources/ldap/${name}`)?.pk ?? `no ${name}`,
  );
}

/** A source that reads an OpenLDAP directory; disabled, so that tests say when it runs. */
export async function makeLdapSource(admin: Api, slapd: Slapd, values: Record<string, unknown> = {}): Promise<Made> {
  const made = await admin.post('/sources/ldap/', {
    name: 'Directory',
    slug: 'directory',
    server_uri: slapd.url,
    bind_cn: rootDn,
    bind_password: rootPassword,
    base_dn: suffix,
    additional_user_dn: 'ou=people',
    additional_group_dn: 'ou=groups',
    user_object_filter: '(objectClass=inetOrgPerson)',
    group_object_filter: '(objectClass=groupOfNames)',
    object_uniqueness_field: 'entryUUID',
    user_property_mappings: await shippedMappings(admin, ['openldap-uid', 'openldap-cn', 'default-mail']),
    group_property_mappings: await shippedMappings(admin, ['openldap-cn']),
    ...values,
  });
  if (made.status !== 201) throw new Error(made.text);
  await ended(admin, made.body.slug, 300);
  return made.body;
}

/** The status once no run is under way. */
export async function ended(admin: Api, slug = 'directory', seconds = 60): Promise<Made> {
  let status: Made;
  await until(async () => {
    status = (await admin.get(`/sources/ldap/${slug}/sync/status/`)).body;
    return !status.is_running;
  }, seconds);
  return status;
}

/** Runs a sync and gives its result. */
export async function syncNow(
  admin: Api,
  values: Record<string, unknown> = {},
  slug = 'directory',
  seconds = 60,
): Promise<Made> {
  const started = await admin.post(`/sources/ldap/${slug}/sync/run/`, values);
  if (started.status !== 204) throw new Error(started.text);
  return (await ended(admin, slug, seconds)).run;
}

export async function userNamed(admin: Api, username: string): Promise<Made> {
  const { body } = await admin.get(`/core/users/?username=${encodeURIComponent(username)}`);
  return body.results[0] ?? null;
}

export async function groupNamed(admin: Api, name: string): Promise<Made> {
  const { body } = await admin.get(`/core/groups/?name=${encodeURIComponent(name)}&include_users=true`);
  return body.results[0] ?? null;
}

export async function membersNamed(admin: Api, group: string): Promise<string[]> {
  const found = await groupNamed(admin, group);
  return (found?.users_obj ?? []).map(({ username }: Made) => username).sort();
}
