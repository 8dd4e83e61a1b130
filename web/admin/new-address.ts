import { hrefOf } from './address.ts';
import type { ResourceEntry } from './api/interface.ts';

/** Resources with a hand-made page for new objects. */
const ways: Readonly<Record<string, string>> = {
  '/core/applications/': '/applications/new/',
  '/sources/all/': '/sources/new/',
};

/** The address of the page that makes a new object. */
export const newAddressOf = ({ path }: Pick<ResourceEntry, 'path'>): string => hrefOf(ways[path] ?? `/new${path}`);
