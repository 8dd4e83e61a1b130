import { IntlMessageFormat } from 'intl-messageformat';
import ar from './ar.json' with { type: 'json' };
import de from './de.json' with { type: 'json' };
import es from './es.json' with { type: 'json' };
import fr from './fr.json' with { type: 'json' };
import ja from './ja.json' with { type: 'json' };
import { directionOf, type Language } from './languages.ts';

/** A text of the catalogues, in English. */
export type Text = keyof typeof de;

type Values = Readonly<Record<string, string | number>>;

const catalogues: Readonly<Record<Exclude<Language, 'en'>, Readonly<Record<string, string>>>> = { ar, de, es, fr, ja };

/** A text in a language, with its values. */
export const say = (language: Language, text: Text, values: Values = {}): string => format(language, text, values);

/** The same for a text that was stored: of another release, it may be in no catalogue. */
export function format(language: Language, text: string, values: Values): string {
  const message = language === 'en' ? text : (catalogues[language][text] ?? text);
  // Most have plain values: parsing them as messages would take most of the time of a list of events.
  if (!/[<']|\{\w+,/.test(message)) return filled(message, isolated(language, values));
  return String(new IntlMessageFormat(message, language).format(isolated(language, values)));
}

// Not by `replaceAll` with a function, which takes 1.4 times as long.
const filled = (message: string, values: Values): string =>
  message
    .split(/\{(\w+)\}/)
    .map((part, at) => (at % 2 === 0 ? part : String(values[part] ?? `{${part}}`)))
    .join('');

/**
 * An English text without values in another language. Words that no catalogue has, such as those that administrators
 * wrote, stay as they are.
 */
export const translate = (language: Language, words: string): string =>
  language === 'en' || !Object.hasOwn(catalogues[language], words) ? words : (catalogues[language][words] ?? words);

/** Isolates names from the direction of right-to-left text around them. */
const isolated = (language: Language, values: Values): Values =>
  directionOf(language) === 'rtl'
    ? Object.fromEntries(Object.entries(values).map(([name, value]) => [name, isolate(value)]))
    : values;

const isolate = (value: string | number) => (typeof value === 'string' ? `\u2068${value}\u2069` : value);
