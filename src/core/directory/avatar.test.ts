import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { type AvatarUser, avatarOf as avatarOn, avatarsComplaint } from './avatar.ts';

const ada = { username: 'ada l', name: 'Ada Lovelace', email: ' Ada@Example.com', attributes: {} };
const avatarOf = (modes: string, user: AvatarUser) => avatarOn(modes, user, { publicHost: 'id.example.com' });
const svgOf = (uri: string) => Buffer.from(uri.replace('data:image/svg+xml;base64,', ''), 'base64').toString();

test('the avatar mode initials uses the name, or else the user name', () => {
  expect(svgOf(avatarOf('initials', ada))).toContain('>AL</text>');
  expect(svgOf(avatarOf('initials', { ...ada, name: '' }))).toContain('>AL</text>');
  expect(svgOf(avatarOf('initials', { ...ada, name: '<b>' }))).toContain('>&#60;</text>');
  expect(svgOf(avatarOf('initials', { ...ada, name: '🦊 fox' }))).toContain('>🦊F</text>');
});

test('the avatar mode none gives the same image for all users', () => {
  expect(avatarOf('none', ada)).toBe(avatarOf('none', { ...ada, name: 'Other' }));
});

test('an avatar is read from an attribute at any depth if it is an image URL', () => {
  const of = (picture: unknown) => avatarOf('attributes.a.picture', { ...ada, attributes: { a: { picture } } });
  expect(of('https://example.com/x.png')).toBe('https://example.com/x.png');
  expect(of('/media/x.png')).toBe('/media/x.png');
  expect(of('data:image/png;base64,AAAA')).toBe('data:image/png;base64,AAAA');
  const ownRoutes = [
    '/flows/-/default/invalidation/',
    'https://id.example.com/if/user/',
    'HTTP://ID.example.com.:81/',
    '/media/../x',
  ];
  for (const bad of ['javascript:alert(1)', 'data:text/html,x', '//evil.example', 5, null, {}, ...ownRoutes]) {
    expect(of(bad)).toBe(avatarOf('none', ada));
  }
  expect(avatarOf('attributes.__proto__.x,initials', ada)).toBe(avatarOf('initials', ada));
});

test('an avatar URL template gets the user name and the hash of the address', () => {
  const mail = hash('sha256', 'ada@example.com');
  expect(avatarOf('https://p.example/%(username)s/%(mail_hash)s?%(unknown)s', ada)).toBe(
    `https://p.example/ada%20l/${mail}?%(unknown)s`,
  );
  expect(avatarOf('https://id.example.com/%(username)s', ada)).toBe(avatarOf('none', ada));
  expect(avatarOf('gravatar', ada)).toContain(mail);
  expect(avatarOf('gravatar,initials', { ...ada, email: '' })).toBe(avatarOf('initials', ada));
});

test.each([
  ['initials', null],
  ['gravatar, attributes.picture ,none', null],
  ['https://example.com/%(username)s', null],
  ['picture', '"picture" is not a way to show users.'],
  ['initials,', '"" is not a way to show users.'],
  ['javascript://x', '"javascript://x" is not a way to show users.'],
])('the avatar modes %s are judged', (modes, complaint) => {
  expect(avatarsComplaint(modes)).toBe(complaint);
});
