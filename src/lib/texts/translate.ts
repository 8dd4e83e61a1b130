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
export function say(language: Language, text: Text, values: Values = {}): string {
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

/** Longer texts are never ours: administrators wrote them. */
const maxLength = 500;

/**
 * An English text of this server in another language. Texts that no catalogue has, such as those that administrators
 * wrote, stay as they are. A text with values in it is recognised by the words around them.
 */
export function translate(language: Language, text: string): string {
  if (language === 'en' || text === '' || text.length > maxLength) return text;
  const exact = Object.hasOwn(catalogues[language], text) ? catalogues[language][text] : undefined;
  if (exact !== undefined) return exact;
  for (const { key, pattern } of patterns) {
    const values = pattern.exec(text)?.groups;
    if (!values) continue;
    const message = new IntlMessageFormat(catalogues[language][key] ?? key, language);
    return String(message.format(isolated(language, valuesOf(language, values))));
  }
  return text;
}

const escapeRegExp = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Texts with plain values. Texts with plurals, and sentences about a person, are formatted but never recognized. */
const patterns = Object.keys(de)
  .filter((key) => /\{\w+\}/.test(key) && !/\{\w+,|\{who\}/.test(key))
  .map((key) => {
    const parts = key.split(/\{(\w+)\}/).map((part, at) => (at % 2 === 0 ? escapeRegExp(part) : `(?<${part}>.+)`));
    return { key, pattern: new RegExp(`^${parts.join('')}$`, 's') };
  })
  // The most specific first.
  .sort((one, other) => other.key.length - one.key.length);

/** A value called `text` is one of our texts too. Translations may have plurals where English has none. */
const valuesOf = (language: Language, values: Readonly<Record<string, string>>): Values =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      if (name === 'text') return [name, translate(language, value)];
      return [name, /^\d{1,15}$/.test(value) ? Number(value) : value];
    }),
  );

/** Isolates names from the direction of right-to-left text around them. */
const isolated = (language: Language, values: Values): Values =>
  directionOf(language) === 'rtl'
    ? Object.fromEntries(Object.entries(values).map(([name, value]) => [name, isolate(value)]))
    : values;

const isolate = (value: string | number) => (typeof value === 'string' ? `\u2068${value}\u2069` : value);
