import type { AdminInterface } from '../../api/types.ts';
import { type Text, t } from '../../texts/texts.ts';

export interface MenuItem {
  /** In the page's language. */
  readonly title: string;
  readonly path: string;
}

interface MenuGroup {
  readonly title: Text;
  readonly items: readonly MenuItem[];
}

/** The home page. */
export const start = (): MenuItem => ({ title: t('Start'), path: '/' });

/**
 * The paths of the menu by task. Kinds are in the list of their family, rarely used resources under "Everything". Lists
 * are called as their objects are.
 */
const groups: readonly { title: Text; paths: readonly string[] }[] = [
  {
    title: 'Applications',
    paths: ['/core/applications/', '/providers/all/'],
  },
  {
    title: 'People',
    paths: [
      '/core/users/',
      '/core/groups/',
      '/rbac/roles/',
      '/access/',
      '/stages/invitation/invitations/',
      '/core/tokens/',
      '/core/authenticated_sessions/',
    ],
  },
  {
    title: 'Sign-in',
    paths: ['/flows/instances/', '/stages/all/', '/stages/prompt/prompts/', '/policies/all/', '/sources/all/'],
  },
  {
    title: 'Events',
    paths: ['/events/events/', '/events/rules/', '/events/transports/'],
  },
  {
    title: 'System',
    paths: [
      '/system/',
      '/admin/settings/',
      '/core/brands/',
      '/crypto/certificatekeypairs/',
      '/propertymappings/all/',
      '/outposts/instances/',
      '/outposts/service_connections/all/',
      '/events/system_tasks/',
      '/everything/',
    ],
  },
];

/** The names of pages that are not lists of a resource. */
const titleOf: Readonly<Record<string, Text>> = {
  '/access/': 'Access',
  '/admin/settings/': 'Settings',
  '/everything/': 'Everything',
  '/system/': 'Maintenance',
};

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
export function menuFor({ resources, system_permissions }: AdminInterface): MenuGroup[] {
  const names = new Map(resources.map(({ path, plural }) => [path, plural]));
  const isOffered = (path: string) =>
    path === '/everything/' || names.has(listOf[path] ?? path) || system_permissions.includes(permissionOf[path] ?? '');
  const itemAt = (path: string): MenuItem => {
    const title = titleOf[path];
    return { path, title: title ? t(title) : (names.get(path) ?? path) };
  };
  return groups
    .map(({ title, paths }) => ({ title, items: paths.filter(isOffered).map(itemAt) }))
    .filter(({ items }) => items.length > 0);
}
