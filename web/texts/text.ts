import type adminDe from './admin/de.json';
import type de from './de.json';

/** A text of the catalogues, in English. */
export type Text = keyof typeof de | keyof typeof adminDe;
