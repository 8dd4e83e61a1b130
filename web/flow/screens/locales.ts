import type { Choice } from '../../elements/choice.tsx';

/** The languages of the pages. */
const locales = ['en'];

/** Languages under their own names, including the current setting. */
export function localeChoices(current: string, isOptional: boolean): Choice[] {
  const offered = current === '' || locales.includes(current) ? locales : [...locales, current];
  const choices = offered.map((value) => ({ value, label: nameOf(value) }));
  choices.sort((a, b) => a.label.localeCompare(b.label));
  return isOptional || current === '' ? [{ value: '', label: 'As my browser says' }, ...choices] : choices;
}

function nameOf(locale: string): string {
  try {
    const name = new Intl.DisplayNames([locale], { type: 'language' }).of(locale) ?? locale;
    return name.charAt(0).toLocaleUpperCase(locale) + name.slice(1);
  } catch {
    return locale;
  }
}
