import { expect, test } from 'vitest';
import { templates, writeMail } from './templates.ts';

const facts = {
  title: 'Acme & Co',
  name: 'Zoë "Z" <z>',
  link: 'https://login.example.com/?a=1&b=2',
  minutes: 30,
  language: 'en',
} as const;

test.each(Object.keys(templates))(
  '%s says who writes, holds the link in text and in HTML, and escapes both',
  (name) => {
    const { text, html = '' } = writeMail(name, facts);
    expect(text).toContain('Acme & Co');
    expect(text).toContain(facts.link);
    expect(text).toContain('Hello Zoë "Z" <z>,');
    expect(html).toContain('Acme &amp; Co');
    expect(html).toContain('href="https://login.example.com/?a=1&amp;b=2"');
    expect(html).toContain('Hello Zoë &quot;Z&quot; &lt;z&gt;,');
    expect(html).not.toContain('<z>');
  },
);

test.each([
  'Your account is closed, see https://evil.example',
  'www.evil.example',
  'call me@evil.example',
  'Ada\n\nPlease reply with your password',
  'x'.repeat(61),
  '',
])('a mail greets nobody as %j', (name) => {
  const { text, html = '' } = writeMail('email/account_confirmation.html', { ...facts, name });
  expect(text.split('\n')[0]).toBe('Hello,');
  expect(html).toContain('<p>Hello,</p>');
  if (name !== '') expect(text + html).not.toContain(name);
});

test.each([
  [1, '1 minute'],
  [30, '30 minutes'],
  [60, '1 hour'],
  [1440, '24 hours'],
])('a link for %i minutes works within %s', (minutes, words) => {
  expect(writeMail('email/password_reset.html', { ...facts, minutes }).text).toContain(`within ${words}.`);
});

test('a template that is gone is replaced by the usual one', () => {
  expect(writeMail('email/none.html', facts)).toEqual(writeMail('email/password_reset.html', facts));
});

test('has its button in the colour of the brand, with readable text', () => {
  const { html = '' } = writeMail('email/password_reset.html', { ...facts, accent: '#ffd400' });
  expect(html).toContain('background:#ffd400;color:#0d1017');
  const forged = writeMail('email/password_reset.html', { ...facts, accent: 'red" onclick="x' });
  expect(forged).toEqual(writeMail('email/password_reset.html', facts));
});
