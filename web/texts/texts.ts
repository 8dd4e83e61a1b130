import { IntlMessageFormat } from 'intl-messageformat';
import type { Language } from './languages.ts';
import { pageLanguage, pageLocale } from './page-language.ts';
import type { Text } from './text.ts';

export type { Text };

type Catalogue = Readonly<Record<string, string>>;

/** The catalogues of a part of the pages. Each is a file of its own: a page loads that of its language only. */
export type Catalogues = Readonly<Record<Exclude<Language, 'en'>, () => Promise<{ default: Catalogue }>>>;
export type Values = Readonly<Record<string, string | number>>;

const everywhere: Catalogues = {
  ar: () => import('./ar.json'),
  de: () => import('./de.json'),
  es: () => import('./es.json'),
  fr: () => import('./fr.json'),
  ja: () => import('./ja.json'),
};

let catalogue: Catalogue = {};
const formats = new Map<string, IntlMessageFormat>();

/** Loads the texts of the page's language; must be done before the page is rendered. English is in the code. */
export async function loadTexts(further: readonly Catalogues[]): Promise<void> {
  const language = pageLanguage();
  if (language === 'en') return;
  const loaded = await Promise.all([everywhere, ...further].map((catalogues) => catalogues[language]()));
  catalogue = Object.assign({}, ...loaded.map((module) => module.default));
}

/** A text in the page's language. */
export function t(text: Text, values?: Values): string {
  const message = catalogue[text] ?? text;
  return values ? String(formatOf(message).format(isolated(values))) : message;
}

/** A text that came from the server: translated if the catalogue has it, else as it is. */
export const known = (text: string): string => catalogue[text] ?? text;

/** The parsed message, for `t` and `Rich`. */
export function formatOf(message: string): IntlMessageFormat {
  const found = formats.get(message) ?? new IntlMessageFormat(message, pageLocale());
  formats.set(message, found);
  return found;
}

/** Keeps names and codes in their own direction within text that runs from right to left. */
const isolated = (values: Values): Values =>
  document.documentElement.dir === 'rtl'
    ? Object.fromEntries(Object.entries(values).map(([name, value]) => [name, isolate(value)]))
    : values;

const isolate = (value: string | number) => (typeof value === 'string' ? `\u2068${value}\u2069` : value);
