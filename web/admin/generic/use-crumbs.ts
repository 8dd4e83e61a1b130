import { hrefOf } from '../address.ts';
import { type ResourceEntry, useInterface } from '../api/interface.ts';

/** The lists above a page of a resource: its family's, and its own where the page is about one object. */
export function useCrumbs({ family, path, plural }: ResourceEntry, isOneObject = false) {
  const above = useInterface().resources.find((entry) => entry.path === family);
  return [
    ...(above ? [{ text: above.plural, href: hrefOf(above.path) }] : []),
    ...(isOneObject ? [{ text: plural, href: hrefOf(path) }] : []),
  ];
}
