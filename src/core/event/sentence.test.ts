import { expect, test } from 'vitest';
import { asObject } from '../../lib/json.ts';
import { languages } from '../../lib/texts/languages.ts';
import { message } from '../../lib/texts/message.ts';
import { eventActions } from './actions.ts';
import { separateMessages } from './messages.ts';
import { sentenceOf } from './sentence.ts';

const dana = { pk: 5, username: 'dana', email: '' };
const staff = { app: 'svc_core', model_name: 'group', pk: 'cd', name: 'Staff' };
const grafana = { app: 'svc_core', model_name: 'application', pk: 'ab', name: 'Grafana' };

test.each([
  ['login', {}, 'dana signed in.'],
  ['logout', {}, 'dana was signed out.'],
  ['logout', { model: { name: 'eve' } }, 'dana signed eve out.'],
  ['login_failed', { username: 'root' }, 'A sign-in as root failed.'],
  ['login_failed', { username: 'eve', reason: 'inactive' }, 'A sign-in as eve failed: the account is not active.'],
  ['password_set', { model: { name: 'dana' } }, 'dana changed their password.'],
  ['password_set', { model: { name: 'eve' } }, 'dana set the password of eve.'],
  ['authorize_application', { authorized_application: grafana }, 'dana signed in to Grafana.'],
  ['model_deleted', { model: grafana }, 'dana deleted the application Grafana.'],
  ['model_created', { model: { ...grafana, model_name: 'oauth2provider' } }, 'dana created the provider Grafana.'],
  [
    'model_updated',
    { model: grafana, diff: { slug: {}, name: {} } },
    'dana changed the application Grafana (slug, name).',
  ],
  [
    'model_updated',
    { model: staff, member: { name: 'eve' }, diff: { users: { add: [7] } } },
    'dana added eve to Staff.',
  ],
  [
    'model_updated',
    { model: staff, member: { name: 'eve' }, diff: { users: { remove: [7] } } },
    'dana removed eve from Staff.',
  ],
  [
    'policy_exception',
    { policy_name: 'staff', message: 'x is not defined' },
    'The policy staff failed: x is not defined',
  ],
  ['configuration_error', { message: 'Something is set wrongly.' }, 'Something is set wrongly.'],
  [
    'configuration_error',
    { message: 'A request named …', redirect_uri: 'https://evil.example/', application: grafana },
    'The redirect URI of a request to sign in to Grafana is not registered.',
  ],
  ['custom_alarm', {}, 'Custom event alarm (dana).'],
])('the event %s %o is told as a sentence', (action, context, sentence) => {
  expect(sentenceOf('en', { action, context, user: dana })).toBe(sentence);
});

test('the sentence of a refused access names the person, the application and the policy', () => {
  const context = {
    message: 'The bindings of the application deny access to the user.',
    application: grafana,
    result: { passing: false, messages: ['Ask for access at the desk.'] },
    decided_by: ['the policy staff only'],
  };
  expect(sentenceOf('en', { action: 'policy_execution', context, user: dana })).toBe(
    'dana was denied access to Grafana by the policy staff only. Ask for access at the desk.',
  );
});

test.each(languages)('every event becomes a sentence in %s, whatever members it lacks', (language) => {
  for (const action of Object.keys(eventActions)) {
    for (const context of [{}, { model: null, diff: [] }, { secret: 'x', source: 5, result: {} }]) {
      const sentence = sentenceOf(language, { action, context, user: {} });
      expect(sentence, action).not.toMatch(/[{}]|undefined|null|\[object/);
      expect(sentence.length, action).toBeGreaterThan(6);
    }
  }
});

test.each([
  ['login', {}, 'de', 'dana hat sich angemeldet.'],
  ['model_deleted', { model: grafana }, 'de', 'dana hat die Anwendung Grafana gelöscht.'],
  ['model_updated', { model: grafana, diff: { slug: {} } }, 'fr', 'dana a modifié l’application Grafana (slug).'],
  ['configuration_error', { message: 'An administrator’s own words.' }, 'ja', 'An administrator’s own words.'],
  ['logout', {}, 'ar', 'سُجّل خروج \u2068dana\u2069.'],
] as const)('%s %o is told in %s', (action, context, language, sentence) => {
  expect(sentenceOf(language, { action, context, user: dana })).toBe(sentence);
});

test('the messages of an event are stored with their values, and told in each language', () => {
  const given = {
    message: message('A mail was sent to {to}.', { to: 'a@example.org' }),
    to_email: 'a@example.org',
  };
  const { context, messages } = separateMessages(given);
  expect(context).toEqual({ message: 'A mail was sent to a@example.org.', to_email: 'a@example.org' });
  const event = { action: 'email_sent', context: asObject(context), user: dana, messages };
  expect(sentenceOf('en', event)).toBe('A mail was sent to a@example.org.');
  expect(sentenceOf('es', event)).toBe('Se ha enviado un correo a a@example.org.');
  // An event of a release that stored no values.
  expect(sentenceOf('es', { ...event, messages: null })).toBe('A mail was sent to a@example.org.');
});

test('names of what decided, and messages of policies, are in the language of the sentence', () => {
  const { context, messages } = separateMessages({
    application: grafana,
    result: {
      passing: false,
      messages: [message('Password exists on {count} online lists.', { count: 3 }), 'Ask us.'],
    },
    decided_by: [message('the group {name}', { name: 'Staff' })],
  });
  expect(context).toMatchObject({
    result: { messages: ['Password exists on 3 online lists.', 'Ask us.'] },
    decided_by: ['the group Staff'],
  });
  expect(sentenceOf('de', { action: 'policy_execution', context: asObject(context), user: dana, messages })).toBe(
    'dana wurde bei Grafana abgewiesen durch die Gruppe Staff. Das Passwort steht auf 3 Listen gestohlener Passwörter. Ask us.',
  );
});
