import type { ComponentType, ReactNode } from 'react';
import { late } from '../page/late.ts';
import { entryAt, type Interface } from './api/interface.ts';
import { Unassigned } from './applications/unassigned.tsx';
import type { AboveProps, BesideProps, ResourcePage } from './resource-page.ts';
import { AboveSource } from './sources/above.tsx';
import { EndingCertificate } from './system/ending-certificate.tsx';

const Start = late(async () => (await import('./start/start-page.tsx')).StartPage);
const Events = late(async () => (await import('./events/events-page.tsx')).EventsPage);
const AboveProxyProvider = late(async () => (await import('./applications/forward-auth-card.tsx')).AboveProxyProvider);
const AboveEvent = late(async () => (await import('./events/above-event.tsx')).AboveEvent);
const Settings = late(async () => (await import('./pages/settings.tsx')).Settings);
const Everything = late(async () => (await import('./pages/everything.tsx')).Everything);
const NotFound = late(async () => (await import('./pages/not-found.tsx')).NotFound);
const Wizard = late(async () => (await import('./applications/wizard.tsx')).Wizard);
const TestPage = late(async () => (await import('./applications/test-page.tsx')).TestPage);
const ApplicationPage = late(async () => (await import('./applications/application-page.tsx')).ApplicationPage);
const AccessPage = late(async () => (await import('./access/access-page.tsx')).AccessPage);
const PeoplePage = late(async () => (await import('./people/people-page.tsx')).PeoplePage);
const PersonPage = late(async () => (await import('./people/person-page.tsx')).PersonPage);
const GroupPage = late(async () => (await import('./people/group-page.tsx')).GroupPage);
const RolePage = late(async () => (await import('./people/role-page.tsx')).RolePage);
const SignInPreview = late(async () => (await import('./appearance/sign-in-preview.tsx')).SignInPreview);
const FlowsPage = late(async () => (await import('./flows/flows-page.tsx')).FlowsPage);
const FlowPage = late(async () => (await import('./flows/flow-page.tsx')).FlowPage);
const SystemPage = late(async () => (await import('./system/system-page.tsx')).SystemPage);
const ListPage = late(async () => (await import('./generic/list-page.tsx')).ListPage);
const DetailPage = late(async () => (await import('./generic/detail-page.tsx')).DetailPage);
const NewPage = late(async () => (await import('./generic/new-page.tsx')).NewPage);
const EditPage = late(async () => (await import('./generic/edit-page.tsx')).EditPage);

/** Hand-made pages by path; they take precedence over generic ones. */
const madeByHand: Readonly<Record<string, ComponentType>> = {
  '/': Start,
  '/admin/settings/': Settings,
  '/events/events/': Events,
  '/everything/': Everything,
  '/applications/new/': Wizard,
  '/applications/test/': TestPage,
  '/access/': AccessPage,
  '/system/': SystemPage,
};

/** Hand-made lists by resource. */
const listsByHand: Readonly<Record<string, ComponentType<ResourcePage>>> = {
  '/core/users/': PeoplePage,
  '/flows/instances/': FlowsPage,
};

/** Hand-made detail pages by resource. */
const objectsByHand: Readonly<Record<string, ComponentType<ResourcePage>>> = {
  '/core/applications/': ApplicationPage,
  '/core/users/': PersonPage,
  '/core/groups/': GroupPage,
  '/flows/instances/': FlowPage,
  '/rbac/roles/': RolePage,
};

/** Columns beside objects, by resource. */
const beside: Readonly<Record<string, ComponentType<BesideProps>>> = { '/core/brands/': SignInPreview };

/** What stands above the members of objects, by family or resource. */
const above: Readonly<Record<string, ComponentType<AboveProps>>> = {
  '/crypto/certificatekeypairs/': EndingCertificate,
  '/events/events/': AboveEvent,
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
export function pageAt(path: string, { resources }: Interface): Found {
  const Hand = madeByHand[path];
  if (Hand) return { Content: <Hand />, key: path };
  const [, verb, rest = ''] = /^\/(new|edit)(\/.*)$/.exec(path) ?? [];
  const at = entryAt(resources, verb ? rest : path);
  const missing = { Content: <NotFound />, key: path };
  if (!at) return missing;
  const [entry, key] = at;
  const props = {
    ...{ entry, objectKey: decodedKey(key), Beside: beside[entry.path] },
    Above: above[entry.path] ?? above[entry.family ?? entry.path],
  };
  if (verb === 'new') return key === '' ? { Content: <NewPage {...props} />, key: path } : missing;
  if (verb === 'edit') return key === '' ? missing : { Content: <EditPage {...props} />, key: path };
  const One = objectsByHand[entry.path] ?? DetailPage;
  const Many = listsByHand[entry.path] ?? ListPage;
  return { Content: key === '' ? <Many {...props} /> : <One {...props} />, key: path };
}

function decodedKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
