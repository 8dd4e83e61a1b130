import type { Text } from '../../texts/texts.ts';
import type { Interface } from '../api/interface.ts';

export interface MenuItem {
  readonly title: Text;
  readonly path: string;
}

interface MenuGroup {
  readonly title: Text;
  readonly items: readonly MenuItem[];
}

/** The home page. */
export const start: MenuItem = { title: 'Start', path: '/' };

/** The menu by task. Kinds are in the list of their family, rarely used resources under "Everything". */
const groups: readonly MenuGroup[] = [
  {
    title: 'Applications',
    items: [
      { title: 'Applications', path: '/core/applications/' },
      { title: 'Providers', path: '/providers/all/' },
    ],
  },
  {
    title: 'People',
    items: [
      { title: 'Users', path: '/core/users/' },
      { title: 'Groups', path: '/core/groups/' },
      { title: 'Roles', path: '/rbac/roles/' },
      { title: 'Access', path: '/access/' },
      { title: 'Invitations', path: '/stages/invitation/invitations/' },
      { title: 'Tokens', path: '/core/tokens/' },
      { title: 'Sessions', path: '/core/authenticated_sessions/' },
    ],
  },
  {
    title: 'Sign-in',
    items: [
      { title: 'Flows', path: '/flows/instances/' },
      { title: 'Stages', path: '/stages/all/' },
      { title: 'Prompts', path: '/stages/prompt/prompts/' },
      { title: 'Policies', path: '/policies/all/' },
      { title: 'Sources', path: '/sources/all/' },
    ],
  },
  {
    title: 'Events',
    items: [
      { title: 'Log', path: '/events/events/' },
      { title: 'Rules', path: '/events/rules/' },
      { title: 'Transports', path: '/events/transports/' },
    ],
  },
  {
    title: 'System',
    items: [
      { title: 'Maintenance', path: '/system/' },
      { title: 'Settings', path: '/admin/settings/' },
      { title: 'Appearance', path: '/core/brands/' },
      { title: 'Certificates', path: '/crypto/certificatekeypairs/' },
      { title: 'Property mappings', path: '/propertymappings/all/' },
      { title: 'Service connections', path: '/outposts/service_connections/all/' },
      { title: 'Jobs', path: '/events/system_tasks/' },
      { title: 'Everything', path: '/everything/' },
    ],
  },
];

/** Permissions for pages that are not lists of a resource. */
const permissionOf: Readonly<Record<string, string>> = {
  '/admin/settings/': 'view_system_settings',
  '/system/': 'view_system_info',
};

/** Pages shown to everybody who may see this list. */
const listOf: Readonly<Record<string, string>> = {
  '/access/': '/policies/bindings/',
  '/system/': '/events/system_tasks/',
};

/** The menu, without what the caller may not see. */
export function menuFor({ resources, system_permissions }: Interface): MenuGroup[] {
  const listed = new Set(resources.map(({ path }) => path));
  const isOffered = ({ path }: MenuItem) =>
    path === '/everything/' ||
    listed.has(listOf[path] ?? path) ||
    system_permissions.includes(permissionOf[path] ?? '');
  return groups
    .map(({ title, items }) => ({ title, items: items.filter(isOffered) }))
    .filter(({ items }) => items.length > 0);
}
