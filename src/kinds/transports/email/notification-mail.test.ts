import { expect, test } from 'vitest';
import { languages } from '../../../lib/texts/languages.ts';
import type { EventFacts, Message } from '../../../notify/transport-kind.ts';
import { notificationMail } from './notification-mail.ts';

const failed: EventFacts = {
  pk: '01a1eef0-2d89-7623-be82-20c2626d8e3f',
  action: 'login_failed',
  app: 'svc_stages_password',
  context: { username: 'ada', geo: { country: 'DE' }, http_request: { path: '/', args: { next: '/' } } },
  user: { pk: null, username: 'AnonymousUser', is_anonymous: true },
  client_ip: '203.0.113.7',
  created: '2026-11-18T14:15:02.121Z',
  brand: null,
};
const user = { name: 'Grace', username: 'grace' } as Message['user'];
const told = { text: 'Somebody failed to sign in as ada.', severity: 'warning', user, event: failed };
const at = 'https://login.example.com';
const link = `${at}/if/admin/events/events/${failed.pk}/`;

test('tells what happened, who did it, where and when, and where to read more', () => {
  const { subject, text, html } = notificationMail('en', at, told);
  expect(subject).toBe('Gatehouse warning: Somebody failed to sign in as ada.');
  expect(text.split('\n')).toEqual([
    'Hello Grace,',
    '',
    'Somebody failed to sign in as ada.',
    '',
    'User: Someone who is not signed in',
    'Address: 203.0.113.7 (Germany)',
    expect.stringMatching(/^Time: November 18, 2026 at 2:15:02.PM UTC$/),
    '',
    `Read more about it: ${link}`,
    '',
    'You get this mail because a notification rule informs a group that you belong to.',
    '',
  ]);
  expect(html).toContain('Address: 203.0.113.7 (Germany)<br>');
  expect(html).toContain(`<a href="${link}"`);
});

test.each(languages)('is in the language of the recipient, and never JSON: %s', (language) => {
  const { text, html = '' } = notificationMail(language, at, told);
  const english = notificationMail('en', at, told)
    .text.split('\n')
    .filter((line) => line !== '' && line !== told.text);
  if (language !== 'en') expect(text.split('\n').filter((line) => english.includes(line))).toEqual([]);
  expect(html).toContain(`<html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">`);
  expect(text + html).not.toMatch(/http_request|"next"|\[object/);
});

test('words of strangers stay on their line and make no markup', () => {
  const event = { ...failed, user: { pk: 3, username: 'eve\n\n<a href="https://evil.example">' } };
  const long = `Somebody\n\n<b>${'failed '.repeat(30)}`;
  const { subject, text, html } = notificationMail('en', at, { ...told, text: long, event });
  expect(text).toContain('User: eve <a href="https://evil.example">\n');
  expect(html).not.toMatch(/<b>|evil\.example">/);
  expect(subject.length).toBeLessThan(100);
  expect(subject).toMatch(/failed…$/);
});

test('events of expressions come with what they tell', () => {
  const context = { message: 'A badge was printed.', badge: 12, http_request: { path: '/' }, place: 'north\nwing' };
  const { text } = notificationMail('en', at, { ...told, event: { ...failed, action: 'custom_badge', context } });
  expect(text).toContain('\nbadge: 12\nplace: north wing\n');
});

test('a test message has no event to tell of', () => {
  const { text, html } = notificationMail('en', at, { ...told, severity: 'notice', event: null });
  expect(text).toBe('Hello Grace,\n\nSomebody failed to sign in as ada.\n');
  expect(html).not.toContain('<a ');
});
