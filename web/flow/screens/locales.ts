import type { Choice } from '../../elements/choice.tsx';

/** Those that the pages have been written in. */
const locales = ['en'];

/** Languages under their own names; what is set already stays in the list. */
export function localeChoices(current: string, isOptional: boolean): Choice[] {
  const known = current === '' || locales.includes(current) ? locales : [...locales, current];
  const choices = known.map((value) => ({ value, label: nameOf(value) }));
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
