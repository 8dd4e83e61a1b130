import { expect, test } from 'vitest';
import { chooseLanguage } from './languages.ts';
import { translate } from './translate.ts';

test.each([
  [['de', 'fr'], 'es', 'de'],
  [['', 'fr'], 'es', 'fr'],
  [['', ''], 'es', 'es'],
  [['tlh', undefined], 'ja', 'ja'],
  [['de-AT', ''], 'es', 'de'],
  [['', 'ar_EG'], undefined, 'ar'],
  [[42, null], undefined, 'en'],
  [[], 'fr;q=0.5, de;q=0.9, en;q=0.1', 'de'],
  [[], 'nl, pt-BR, *', 'en'],
  [[], 'de;q=0, fr;q=0.1', 'fr'],
  [[], 'ja-JP-u-ca-japanese,en;q=0.8', 'ja'],
  [[], ',;q=,=;;q=x', 'en'],
] as const)('of the settings %j and the header %j, %s is chosen', (settings, header, language) => {
  expect(chooseLanguage(settings, header)).toBe(language);
});

test.each([
  ['de', 'This field is required.', 'Dieses Feld ist erforderlich.'],
  ['en', 'This field is required.', 'This field is required.'],
  ['de', 'Our own words.', 'Our own words.'],
  ['de', 'toString', 'toString'],
  ['de', 'Sign in to Wiki $& {x}', 'Bei Wiki $& {x} anmelden'],
  ['ar', 'Sign in to Wiki', 'تسجيل الدخول إلى \u2068Wiki\u2069'],
  ['fr', 'Ensure this field has no more than 1 characters.', 'Ce champ ne doit pas dépasser 1 caractère.'],
  [
    'de',
    'This device is registered already. That was the last attempt.',
    'Dieses Gerät ist bereits registriert. Das war der letzte Versuch.',
  ],
] as const)('in %s, “%s” is “%s”', (language, text, translation) => {
  expect(translate(language, text)).toBe(translation);
});

test('long texts are not looked at closely', () => {
  const text = `The device that shows the code ${' will act for '.repeat(5_000)}`;
  expect(translate('de', text)).toBe(text);
});
