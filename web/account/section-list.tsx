import type { ComponentType, LazyExoticComponent } from 'react';
import { lazyPage } from '../page/lazy-page.ts';
import type { Text } from '../texts/texts.ts';

interface SectionFacts {
  readonly slug: string;
  readonly title: Text;
  readonly Content: LazyExoticComponent<ComponentType>;
}

/** All sections, in the order of the menu. */
export const sections: readonly SectionFacts[] = [
  {
    slug: '',
    title: 'Applications',
    Content: lazyPage(async () => (await import('./sections/applications.tsx')).Applications),
  },
  {
    slug: 'profile',
    title: 'Profile',
    Content: lazyPage(async () => (await import('./sections/profile.tsx')).Profile),
  },
  {
    slug: 'password',
    title: 'Password',
    Content: lazyPage(async () => (await import('./sections/password.tsx')).Password),
  },
  {
    slug: 'devices',
    title: 'Devices',
    Content: lazyPage(async () => (await import('./sections/devices.tsx')).Devices),
  },
  {
    slug: 'sessions',
    title: 'Sessions',
    Content: lazyPage(async () => (await import('./sections/sessions.tsx')).Sessions),
  },
  {
    slug: 'consents',
    title: 'Consents',
    Content: lazyPage(async () => (await import('./sections/consents.tsx')).Consents),
  },
  { slug: 'tokens', title: 'Tokens', Content: lazyPage(async () => (await import('./sections/tokens.tsx')).Tokens) },
  {
    slug: 'connections',
    title: 'Connected accounts',
    Content: lazyPage(async () => (await import('./sections/connections.tsx')).Connections),
  },
  {
    slug: 'notifications',
    title: 'Notifications',
    Content: lazyPage(async () => (await import('./sections/notifications.tsx')).Notifications),
  },
];
