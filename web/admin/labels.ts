import type { ValueLabels } from '../../src/resource/document/json-schema.ts';
import type { AdminInterface } from '../api/types.ts';
import { pageLanguage, pageLocale } from '../texts/page-language.ts';
import { known, t } from '../texts/texts.ts';
import { englishKind, englishOf, englishPart, inSmallLetters } from './spelling.ts';

/** What the declarations of the server call kinds and actions of events, set once when the pages are opened. */
let declared: AdminInterface['labels'] = { kinds: {}, event_actions: {} };

export function setLabels(labels: AdminInterface['labels']): void {
  declared = labels;
}

/** A value in the page's language, by its field's labels: `app_password` as `App password`, `CH` as `Switzerland`. */
export function spelled(value: unknown, labels?: ValueLabels): string {
  const text = String(value);
  return /^[A-Z]{2}$/.test(text) ? countryOf(text) : known(englishOf(text, labels));
}

/** The name of a kind of objects, as the server declares it, in the page's language. */
export const kindName = (name: string): string => known(englishKind(name, declared.kinds));

export const actionName = (action: string): string => spelled(action, declared.event_actions);

/** The name of the first part of a path. */
export const partName = (part: string): string => known(englishPart(part));

let countries: Intl.DisplayNames | undefined;

export function countryOf(code: string): string {
  countries ??= new Intl.DisplayNames(pageLocale(), { type: 'region', fallback: 'code' });
  return countries.of(code) ?? code;
}

/** `User`: `user`, for the middle of an English sentence; `SAML provider` stays as it is. */
export const inSentence = (name: string): string => (pageLanguage() === 'en' ? inSmallLetters(name) : name);

export const numberText = (value: number): string => new Intl.NumberFormat(pageLocale()).format(value);

/** The same of what is no amount, such as a port or a key: its digits are not grouped. */
export const plainNumberText = (value: number): string =>
  new Intl.NumberFormat(pageLocale(), { useGrouping: false, maximumFractionDigits: 20 }).format(value);

/** `3 users`: objects of a kind, by the names of the kind. */
export function counted(count: number, { singular, plural }: { singular: string; plural: string }): string {
  const isOne = new Intl.PluralRules(pageLocale()).select(count) === 'one';
  return t('{count, number} {kinds}', { count, kinds: inSentence(isOne ? singular : plural) });
}

/** `more than 100,000 users`, if counting has stopped there. */
export const moreThan = (amount: string, hasMore: boolean): string =>
  hasMore ? t('more than {amount}', { amount }) : amount;

/** The same for a figure of a chart. */
export const atLeast = (amount: string, isAtLeast: boolean): string =>
  isAtLeast ? t('at least {amount}', { amount }) : amount;

/** The name of a permission: most name a verb and a kind. */
export function permissionName(name: string): string {
  const own = known(name);
  const [, verb = '', kind = ''] = /^Can (add|change|delete|use|view secrets of|view) (.+)$/.exec(name) ?? [];
  if (own !== name || !kind) return own;
  const values = { kind: inSentence(kindName(kind)) };
  if (verb === 'add') return t('Can add {kind}', values);
  if (verb === 'change') return t('Can change {kind}', values);
  if (verb === 'delete') return t('Can delete {kind}', values);
  if (verb === 'use') return t('Can use {kind}', values);
  return verb === 'view' ? t('Can view {kind}', values) : t('Can view secrets of {kind}', values);
}
