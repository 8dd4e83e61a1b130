import type { Demo } from '../../../core/kind/demo.ts';

export async function ldapDemo({ api, people }: Demo): Promise<void> {
  const { ada, engineering } = people;
  const mapping = await api.ensure(
    '/propertymappings/source/ldap/',
    { name: 'Demo: directory entry' },
    { expression: 'return { attributes: { department: ldap.departmentNumber?.[0] } };' },
  );
  const source = await api.ensure(
    '/sources/ldap/',
    { slug: 'demo-directory' },
    {
      name: 'Demo Directory',
      enabled: false,
      server_uri: 'ldaps://ldap.example.com',
      base_dn: 'dc=example,dc=com',
      sync_users_password: false,
      user_property_mappings: [mapping.pk],
    },
  );
  const link = { identifier: 'demo-ada', source: source.pk };
  await api.ensure('/sources/user_connections/ldap/', link, { user: ada.pk });
  const group = { identifier: 'demo-engineering', source: source.pk };
  await api.ensure('/sources/group_connections/ldap/', group, { group: engineering.pk });
}
