import type { mountPages } from '../../src/app/pages/mount-pages.ts';
import type { TestServer } from './server.ts';

/** What the pages of a server need of it, for another server with the same pages. */
export function pageNeeds({ world, app, url }: TestServer): Parameters<typeof mountPages>[1] {
  const { db, key, clock, log, geo, settings } = world;
  const { kinds } = app;
  return { db, key, clock, log, geo, settings, isSecure: false, kinds, publicUrl: url, record: async () => undefined };
}
