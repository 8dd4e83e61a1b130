import type { Catalogues } from '../texts.ts';

/** What the declarations of the server say to administrators: names of kinds, labels and help of fields, choices. */
export const fieldCatalogues: Catalogues = {
  ar: () => import('./ar.json'),
  de: () => import('./de.json'),
  es: () => import('./es.json'),
  fr: () => import('./fr.json'),
  ja: () => import('./ja.json'),
};
