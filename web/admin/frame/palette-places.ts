import type { AdminInterface, SavedView } from '../../api/types.ts';
import { chooseTheme, type Theme, themes } from '../../page/theme.ts';
import { type Text, t } from '../../texts/texts.ts';
import { hereWith, hrefOf } from '../address.ts';
import type { ResourceEntry } from '../api/interface.ts';
import { hrefOfView } from '../api/saved-views.tsx';
import { inSentence } from '../labels.ts';
import { newAddressOf } from '../new-address.ts';
import { menuFor, start } from './menu-list.ts';

/** What the palette offers. */
export interface Hit {
  readonly id: string;
  readonly title: string;
  readonly kind: string;
  /** Further words by which it is found. */
  readonly synonyms?: string;
  readonly href?: string;
  run?(): void;
}

/** What people type who do not know what a page is called here. */
const synonyms: Readonly<Record<string, Text>> = {
  '/access/': 'why can explain permission denied',
  '/admin/settings/': 'configuration preferences avatars retention',
  '/core/applications/': 'apps connect client secret rotate launch',
  '/core/authenticated_sessions/': 'devices browsers signed in log out',
  '/core/brands/': 'logo colour theme appearance favicon domain',
  '/core/groups/': 'teams members departments',
  '/core/tokens/': 'API keys app passwords',
  '/core/users/': 'people accounts invite deactivate password',
  '/crypto/certificatekeypairs/': 'keys TLS X.509 signing',
  '/events/events/': 'log audit history failed sign-ins',
  '/events/rules/': 'alerts notify webhook mail',
  '/events/transports/': 'webhook mail chat notify',
  '/flows/instances/': 'login recovery enrollment forgot password passkey MFA',
  '/policies/all/': 'rules conditions password strength country',
  '/propertymappings/all/': 'claims attributes scopes',
  '/providers/all/': 'OAuth OpenID SAML LDAP RADIUS proxy SCIM client',
  '/rbac/roles/': 'permissions rights delegate help desk',
  '/sources/all/': 'identity provider federation social Google Microsoft GitHub',
  '/system/': 'backup jobs health update version sync',
};

/** Pages, saved views and actions that the caller may use. */
export function placesOf(known: AdminInterface, views: readonly SavedView[]): Hit[] {
  const menu = menuFor(known).flatMap(({ items }) => items);
  const inMenu = new Set(menu.map(({ path }) => path));
  const pages = [
    start(),
    ...menu,
    ...known.resources.filter(({ path }) => !inMenu.has(path)).map(({ plural, path }) => ({ title: plural, path })),
  ];
  const makers = known.resources.filter(({ may }) => may.add === 'all');
  const action = t('Action');
  return [
    ...pages.map(({ title, path }) => ({
      ...{ id: path, title, kind: t('Page'), href: hrefOf(path) },
      synonyms: synonyms[path] ? t(synonyms[path]) : '',
    })),
    ...views.flatMap((view) => {
      const entry = known.resources.find(({ path }) => path === view.list);
      const hit = { id: `view ${view.pk}`, title: view.name, kind: t('Saved view'), href: hrefOfView(view) };
      return entry ? [{ ...hit, synonyms: entry.plural }] : [];
    }),
    ...makers.map(({ singular, path }) => ({
      id: `new ${path}`,
      title: t('New {kind}', { kind: inSentence(singular) }),
      kind: action,
      href: newAddressOf({ path }),
    })),
    ...furtherActions(known).map((hit) => ({ ...hit, kind: action })),
    ...(Object.keys(themes) as Theme[]).map((theme) => ({
      id: `theme ${theme}`,
      title: t('Colours: {theme}', { theme: t(themes[theme]) }),
      kind: action,
      run: () => chooseTheme(theme),
    })),
  ];
}

function furtherActions({ resources, user }: AdminInterface): Omit<Hit, 'kind'>[] {
  const mayAdd = (path: string) => resources.some((entry) => entry.path === path && entry.may.add === 'all');
  return [
    ...(mayAdd('/stages/invitation/invitations/')
      ? [{ id: 'invite', title: t('Invite a user'), href: hrefOf('/core/users/', { dialog: 'invite' }) }]
      : []),
    ...(user.is_superuser
      ? [
          { id: 'mail', title: t('Send a test mail'), href: hrefOf('/admin/settings/', { tab: 'server' }) },
          {
            ...{ id: 'backup', title: t('Back up now'), href: hrefOf('/', { dialog: 'backup' }) },
            synonyms: t('backup download save'),
          },
        ]
      : []),
    { id: 'shortcuts', title: t('Keyboard shortcuts'), href: hereWith({ dialog: 'shortcuts' }) },
  ];
}

/** The title and the synonyms begin words with all that was typed, or contain it. */
export function fits({ title, synonyms: further = '' }: Hit, words: readonly string[]): boolean {
  const text = `${title} ${further}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

/** `new Grafana` is about setting it up: nothing is called so. */
const aboutNew = /^new\s+/i;
export const isAboutNew = (search: string): boolean => aboutNew.test(search);

/** Ways to look for a text in lists that are searched by themselves: those of the menu, or all of them. */
export function listsWith(search: string, known: AdminInterface, all: boolean): Hit[] {
  const inMenu = new Set(menuFor(known).flatMap(({ items }) => items.map(({ path }) => path)));
  const product = search.replace(aboutNew, '');
  // Some lists are there twice, for all users and for the caller alone.
  const isOfAll = ({ path, plural }: ResourceEntry) =>
    path.includes('/admin/') ||
    !known.resources.some((other) => other.plural === plural && other.path.includes('/admin/'));
  const mayConnect = known.resources.some(({ path, may }) => path === '/core/applications/' && may.add === 'all');
  return [
    ...(mayConnect
      ? [
          {
            id: 'connect',
            title: t('Connect an application: “{text}”', { text: product }),
            kind: t('Action'),
            href: hrefOf('/applications/new/', { search: product }),
          },
        ]
      : []),
    ...known.resources
      .filter(
        (entry) =>
          entry.search === 'list' && isOfAll(entry) && (inMenu.has(entry.path) || (all && entry.family === null)),
      )
      .map(({ path, plural }) => ({
        id: `search ${path}`,
        title: t('Find “{text}” in {kinds}', { text: search, kinds: inSentence(plural) }),
        kind: t('Search'),
        href: hrefOf(path, { search }),
      })),
  ];
}
