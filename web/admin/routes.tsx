import type { ComponentType, ReactNode } from 'react';
import type { AdminInterface } from '../api/types.ts';
import { lazyPage } from '../page/lazy-page.ts';
import { entryAt } from './api/interface.ts';
import { Unassigned } from './applications/unassigned.tsx';
import { firstSignInDialog } from './people/first-sign-in.tsx';
import type { BannerProps, ResourcePage, SidePanelProps } from './resource-page.ts';
import { LeadTo, longPathOf } from './short-address.tsx';
import { AboveSource } from './sources/above.tsx';
import { EndingCertificate } from './system/ending-certificate.tsx';

const Start = lazyPage(async () => (await import('./start/start-page.tsx')).StartPage);
const Events = lazyPage(async () => (await import('./events/events-page.tsx')).EventsPage);
const AboveProxyProvider = lazyPage(
  async () => (await import('./applications/forward-auth-card.tsx')).AboveProxyProvider,
);
const AboveRule = lazyPage(async () => (await import('./events/above-rule.tsx')).AboveRule);
const AboveEvent = lazyPage(async () => (await import('./events/above-event.tsx')).AboveEvent);
const Settings = lazyPage(async () => (await import('./pages/settings.tsx')).Settings);
const Everything = lazyPage(async () => (await import('./pages/everything.tsx')).Everything);
const NotFound = lazyPage(async () => (await import('./pages/not-found.tsx')).NotFound);
const Wizard = lazyPage(async () => (await import('./applications/wizard.tsx')).Wizard);
const NewSource = lazyPage(async () => (await import('./sources/new-source.tsx')).NewSource);
const TestPage = lazyPage(async () => (await import('./applications/test-page.tsx')).TestPage);
const ApplicationPage = lazyPage(async () => (await import('./applications/application-page.tsx')).ApplicationPage);
const AccessPage = lazyPage(async () => (await import('./access/access-page.tsx')).AccessPage);
const PeoplePage = lazyPage(async () => (await import('./people/people-page.tsx')).PeoplePage);
const PersonPage = lazyPage(async () => (await import('./people/person-page.tsx')).PersonPage);
const GroupPage = lazyPage(async () => (await import('./people/group-page.tsx')).GroupPage);
const RolePage = lazyPage(async () => (await import('./people/role-page.tsx')).RolePage);
const SignInPreview = lazyPage(async () => (await import('./appearance/sign-in-preview.tsx')).SignInPreview);
const ApplicationsPage = lazyPage(async () => (await import('./applications/applications-page.tsx')).ApplicationsPage);
const FlowsPage = lazyPage(async () => (await import('./flows/flows-page.tsx')).FlowsPage);
const FlowPage = lazyPage(async () => (await import('./flows/flow-page.tsx')).FlowPage);
const SystemPage = lazyPage(async () => (await import('./system/system-page.tsx')).SystemPage);
const ListPage = lazyPage(async () => (await import('./generic/list-page.tsx')).ListPage);
const DetailPage = lazyPage(async () => (await import('./generic/detail-page.tsx')).DetailPage);
const NewPage = lazyPage(async () => (await import('./generic/new-page.tsx')).NewPage);
const EditPage = lazyPage(async () => (await import('./generic/edit-page.tsx')).EditPage);

/** Custom pages by path; they take precedence over generic ones. */
const customPages: Readonly<Record<string, ComponentType>> = {
  '/': Start,
  '/admin/settings/': Settings,
  '/events/events/': Events,
  '/everything/': Everything,
  '/applications/new/': Wizard,
  '/applications/test/': TestPage,
  '/sources/new/': NewSource,
  '/access/': AccessPage,
  '/system/': SystemPage,
};

/** Custom lists by resource. */
const customLists: Readonly<Record<string, ComponentType<ResourcePage>>> = {
  '/core/users/': PeoplePage,
  '/core/applications/': ApplicationsPage,
  '/flows/instances/': FlowsPage,
};

/** Custom detail pages by resource. */
const customObjectPages: Readonly<Record<string, ComponentType<ResourcePage>>> = {
  '/core/applications/': ApplicationPage,
  '/core/users/': PersonPage,
  '/core/groups/': GroupPage,
  '/flows/instances/': FlowPage,
  '/rbac/roles/': RolePage,
};

/** Side panels of objects, by resource. */
const sidePanels: Readonly<Record<string, ComponentType<SidePanelProps>>> = { '/core/brands/': SignInPreview };

/** Dialogs on the pages of objects that have just been created, by resource. */
const firstDialogs: Readonly<Record<string, string>> = { '/core/users/': firstSignInDialog };

/** Banners above the members of objects, by family or resource. */
const banners: Readonly<Record<string, ComponentType<BannerProps>>> = {
  '/crypto/certificatekeypairs/': EndingCertificate,
  '/events/events/': AboveEvent,
  '/events/rules/': AboveRule,
  '/providers/all/': Unassigned,
  '/providers/proxy/': AboveProxyProvider,
  '/sources/all/': AboveSource,
};

interface Found {
  readonly Content: ReactNode;
  /** A different key drops the state of the last page. */
  readonly key: string;
}

/** The page at a path. `/new` and `/edit` are prefixes, so they cannot collide with keys. */
export function pageAt(path: string, { resources }: AdminInterface): Found {
  const Custom = customPages[path];
  if (Custom) return { Content: <Custom />, key: path };
  const [, verb, rest = ''] = /^\/(new|edit)(\/.*)$/.exec(path) ?? [];
  const at = entryAt(resources, verb ? rest : path);
  const missing = { Content: <NotFound />, key: path };
  const long = at ? null : longPathOf(path);
  if (long) return { Content: <LeadTo path={long} />, key: path };
  if (!at) return missing;
  const [entry, key] = at;
  const props = {
    ...{ entry, objectKey: decodedKey(key), SidePanel: sidePanels[entry.path], firstDialog: firstDialogs[entry.path] },
    Banner: banners[entry.path] ?? banners[entry.family ?? entry.path],
  };
  if (verb === 'new') return key === '' ? { Content: <NewPage {...props} />, key: path } : missing;
  if (verb === 'edit') return key === '' ? missing : { Content: <EditPage {...props} />, key: path };
  const One = customObjectPages[entry.path] ?? DetailPage;
  const Many = customLists[entry.path] ?? ListPage;
  return { Content: key === '' ? <Many {...props} /> : <One {...props} />, key: path };
}

function decodedKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
