import type { Choice } from '../../elements/choice.tsx';
import { languages } from '../../texts/languages.ts';
import { t } from '../../texts/texts.ts';

/** Languages under their own names, including the current setting. */
export function localeChoices(current: string, isOptional: boolean): Choice[] {
  const offered = current === '' || offers(current) ? languages : [...languages, current];
  const choices = offered.map((value) => ({ value, label: languageName(value) }));
  choices.sort((a, b) => a.label.localeCompare(b.label));
  return isOptional || current === '' ? [{ value: '', label: t('Same as my browser') }, ...choices] : choices;
}

const offers = (tag: string): boolean => languages.some((language) => language === tag);

/** `Deutsch`, `日本語`: a language in itself. */
export function languageName(locale: string): string {
  try {
    const name = new Intl.DisplayNames([locale], { type: 'language' }).of(locale) ?? locale;
    return name.charAt(0).toLocaleUpperCase(locale) + name.slice(1);
  } catch {
    return locale;
  }
}
