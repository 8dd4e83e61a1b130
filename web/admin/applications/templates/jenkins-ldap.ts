import type { Template } from '../template.ts';

export const jenkinsLdap: Template = {
  id: 'jenkins-ldap',
  name: 'Jenkins (LDAP)',
  about: 'Builds and pipelines',
  category: 'Development',
  protocol: 'ldap',
  address: 'https://jenkins.example.com',
  where: 'Manage Jenkins → Security → LDAP',
  setup: `Server: ldaps://{ldap_host}:636
Root DN: {base_dn}
User search base: ou=users
User search filter: uid={0}
Group search base: ou=groups
Group search filter: (&(objectClass=groupOfNames)(cn={0}))
Group membership filter: (&(objectClass=groupOfNames)(member={0}))
Manager DN: {bind_dn}
Manager password: the app password of the service account
Display name LDAP attribute: displayName
Email address LDAP attribute: mail`,
  docs: 'https://plugins.jenkins.io/ldap/',
  checked: { version: '0945c6f7', date: '2026-11-20', how: 'read' },
};
