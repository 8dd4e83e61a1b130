import { type Language, languages } from './languages.ts';

/** The language of the document, which the server has chosen. */
export const pageLanguage = (): Language => {
  const { lang } = document.documentElement;
  return languages.find((language) => language === lang) ?? 'en';
};

/** For dates and numbers: the browser's variant of the page's language (`en-GB`), else the language. */
export const pageLocale = (): string => {
  const language = pageLanguage();
  return navigator.languages.find((tag) => tag.split('-')[0] === language) ?? language;
};
