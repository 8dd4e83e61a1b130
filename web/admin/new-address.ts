import { hrefOf } from './address.ts';
import type { ResourceEntry } from './api/interface.ts';

/** Objects that are made in a way of their own. */
const ways: Readonly<Record<string, string>> = { '/core/applications/': '/applications/new/' };

/** The address of the page that makes a new object. */
export const newAddressOf = ({ path }: Pick<ResourceEntry, 'path'>): string => hrefOf(ways[path] ?? `/new${path}`);
