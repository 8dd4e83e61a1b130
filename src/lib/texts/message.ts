import { asObject, memberOf } from '../json.ts';
import type { Language } from './languages.ts';
import { format, type Text, translate } from './translate.ts';

/** The names of the places in a text: `count` and `name` of `{count, plural, one {…} other {…}} by {name}`. */
type PlaceOf<T extends string> = T extends `${string}{${infer Place}}${infer Rest}`
  ? NameOf<Place> | PlaceOf<Rest>
  : never;
type NameOf<Place extends string> = Place extends `${infer Name}, plural${string}`
  ? Name
  : Place extends `${string} ${string}`
    ? never
    : Place;

/** A message as a value is put into the language of the message around it. */
type Value = string | number | UserMessage;
type Values = Readonly<Record<string, Value>>;

/** As it is stored where it may be shown in another language later. */
export type StoredMessage = {
  readonly text: string;
  readonly values: { readonly [name: string]: string | number | StoredMessage };
};

/**
 * A text with its values, until it leaves: then it is put into the language of its reader. In JSON, and so in the
 * bodies of the API, it is English.
 */
export class UserMessage {
  readonly text: string;
  readonly values: Values;

  /** Code calls `message` or `verbatim`: these check the text and its values. */
  constructor(text: string, values: Values = {}) {
    this.text = text;
    this.values = values;
  }

  in(language: Language): string {
    if (Object.keys(this.values).length === 0) return translate(language, this.text);
    const values = this.#valuesBy((value) => value.in(language));
    return format(language, this.text, values);
  }

  toString(): string {
    return this.in('en');
  }

  toJSON(): string {
    return this.in('en');
  }

  stored(): StoredMessage {
    return { text: this.text, values: this.#valuesBy((value) => value.stored()) };
  }

  #valuesBy<T>(convert: (value: UserMessage) => T): Record<string, string | number | T> {
    const entries = Object.entries(this.values).map(([name, value]) => [
      name,
      value instanceof UserMessage ? convert(value) : value,
    ]);
    return Object.fromEntries(entries);
  }
}

/** Text for users: of the catalogues, or a message. Other strings do not compile. */
export type UserText = Text | UserMessage;

/** The same, where words may also be those of an administrator, or of the API alone. */
export type Words = string | UserMessage;

/** A text of the catalogues with its values. */
export const message = <T extends Text>(
  text: T,
  ...[values]: [PlaceOf<T>] extends [never] ? [] : [Readonly<Record<PlaceOf<T>, Value>>]
): UserMessage => new UserMessage(text, values);

/** What an administrator wrote, or data: as it is, unless it is a text of the catalogues. */
export const verbatim = (words: Words): UserMessage => (words instanceof UserMessage ? words : new UserMessage(words));

/** Words in a language. */
export const inLanguage = (language: Language, words: Words): string =>
  words instanceof UserMessage ? words.in(language) : translate(language, words);

/** Several sentences in a row; null for none. */
export function sentences(words: readonly Words[]): UserMessage | null {
  const [first, ...others] = words.filter((one) => String(one).trim() !== '').map(verbatim);
  if (!first) return null;
  return others.reduce((one, other) => message('{one} {other}', { one, other }), first);
}

/** Null for what is no stored message. One of another release may have a text that the catalogues do not have. */
export function messageFrom(stored: unknown): UserMessage | null {
  const text = memberOf(stored, 'text');
  if (typeof text !== 'string') return null;
  const entries = Object.entries(asObject(memberOf(stored, 'values'))).map(([name, value]) => [
    name,
    messageFrom(value) ?? value,
  ]);
  return new UserMessage(text, Object.fromEntries(entries));
}
