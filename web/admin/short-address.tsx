import { useEffect } from 'react';
import { goTo, home } from './address.ts';

/** What people type by heart, and where the pages are: below the paths of the API. */
const longer: Readonly<Record<string, string>> = {
  applications: '/core/applications/',
  brands: '/core/brands/',
  certificates: '/crypto/certificatekeypairs/',
  events: '/events/events/',
  flows: '/flows/instances/',
  groups: '/core/groups/',
  invitations: '/stages/invitation/invitations/',
  policies: '/policies/all/',
  providers: '/providers/all/',
  roles: '/rbac/roles/',
  sessions: '/core/authenticated_sessions/',
  settings: '/admin/settings/',
  sources: '/sources/all/',
  stages: '/stages/all/',
  tokens: '/core/tokens/',
  users: '/core/users/',
};

/** The whole path of a short one, such as `/users/` or `/users/5/`; null if it is none. */
export function longPathOf(path: string): string | null {
  const [, first = '', rest = ''] = /^\/(\w+)\/([^/]+\/)?$/.exec(path) ?? [];
  const start = Object.hasOwn(longer, first) ? longer[first] : undefined;
  if (!start || path === start || (rest !== '' && start.endsWith('/all/'))) return null;
  return `${start}${rest}`;
}

/** Leads on to the page of a short address, which stays out of the history. */
export function LeadTo({ path }: { path: string }) {
  useEffect(() => goTo(`${home}${path.slice(1)}${location.search}`, { replace: true }), [path]);
  return null;
}
