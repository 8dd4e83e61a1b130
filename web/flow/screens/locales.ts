import type { Choice } from '../../elements/choice.tsx';

const locales =
  'ar bg bn ca cs da de el en es et fa fi fr gl he hi hr hu id it ja ko lt lv ms nb nl pl pt pt-BR ro ru sk sl sr sv ta th tr uk vi zh-Hans zh-Hant'.split(
    ' ',
  );

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
