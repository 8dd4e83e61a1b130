import { pageLanguage, pageLocale } from '../texts/page-language.ts';
import { known, t } from '../texts/texts.ts';

/** `is_active`, `http_basic`: `Is active`, `Http basic`. For values that no declaration names. */
export function spelled(value: unknown): string {
  const words = String(value).replaceAll(/[_-]+/g, ' ').trim();
  return known(words.charAt(0).toUpperCase() + words.slice(1));
}

/** `User`: `user`, for the middle of an English sentence; `OAuth2 Provider` and `SAML Source` stay as they are. */
export function inSentence(name: string): string {
  if (pageLanguage() !== 'en') return name;
  return name
    .split(' ')
    .map((word) => (/^[A-Z][a-z-]+$/.test(word) ? word.toLowerCase() : word))
    .join(' ');
}

export const numberText = (value: number): string => new Intl.NumberFormat(pageLocale()).format(value);

/** `3 users`: objects of a kind, by the names of the kind. */
export function counted(count: number, { singular, plural }: { singular: string; plural: string }): string {
  const isOne = new Intl.PluralRules(pageLocale()).select(count) === 'one';
  return t('{count, number} {kinds}', { count, kinds: inSentence(isOne ? singular : plural) });
}
