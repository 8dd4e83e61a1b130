import { expect, test } from 'vitest';
import { chooseLanguage } from './languages.ts';
import { inLanguage, message, messageFrom, sentences, verbatim } from './message.ts';

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
  // Words that look like one of our texts with a value.
  ['de', 'Sign in to Wiki?', 'Sign in to Wiki?'],
] as const)('in %s, the words “%s” are “%s”', (language, words, translation) => {
  expect(inLanguage(language, words)).toBe(translation);
});

test.each([
  [message('Sign in to {name}?', { name: 'Wiki $& {x}' }), 'de', 'Bei Wiki $& {x} anmelden?'],
  [message('Sign in to {name}?', { name: 'Wiki' }), 'ar', 'هل تريد تسجيل الدخول إلى \u2068Wiki\u2069؟'],
  [
    message('Ensure this field has no more than {max} characters.', { max: 1 }),
    'fr',
    'Ce champ ne doit pas dépasser 1 caractère.',
  ],
  [
    message('{text} That was the last attempt.', { text: message('This device is registered already.') }),
    'de',
    'Dieses Gerät ist bereits registriert. Das war der letzte Versuch.',
  ],
  [verbatim('Our own words with {places} and <b>tags.'), 'de', 'Our own words with {places} and <b>tags.'],
  [verbatim('This field is required.'), 'de', 'Dieses Feld ist erforderlich.'],
  [
    sentences(['Ours.', message('Password expired {days} days ago. Please update your password.', { days: 2 })]),
    'de',
    'Ours. Ihr Passwort ist vor 2 Tagen abgelaufen. Bitte ändern Sie es.',
  ],
] as const)('%s is said in %s', (said, language, translation) => {
  expect(said?.in(language)).toBe(translation);
  expect(messageFrom(JSON.parse(JSON.stringify(said?.stored())))?.in(language)).toBe(translation);
});

test('in JSON, messages are English', () => {
  const body = { non_field_errors: [message('You are already linked to {name}.', { name: 'GitHub' })] };
  expect(JSON.stringify(body)).toBe('{"non_field_errors":["You are already linked to GitHub."]}');
  expect(sentences([])).toBeNull();
  expect(messageFrom('Some words.')).toBeNull();
});
