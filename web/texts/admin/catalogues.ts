import type { Catalogues } from '../texts.ts';

/** The texts of the admin pages, which no other page loads. */
export const adminCatalogues: Catalogues = {
  ar: () => import('./ar.json'),
  de: () => import('./de.json'),
  es: () => import('./es.json'),
  fr: () => import('./fr.json'),
  ja: () => import('./ja.json'),
};
