import { hash } from 'node:crypto';
import { memberOf } from '../../lib/json.ts';
import type { ResourceWorld } from '../../resource/call.ts';
import { isSafeImage } from '../media/image-address.ts';

const colours = ['#3b5bdb', '#1971c2', '#0c8599', '#2f9e44', '#e67700', '#c2255c', '#9c36b5', '#5f3dc4'];

export interface AvatarUser {
  readonly username: string;
  readonly name: string;
  readonly email: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

export const defaultAvatars = 'initials';

/**
 * A user's avatar from the first mode (of e.g. `attributes.avatar,initials`) that yields one. The server fetches
 * nothing: the browser does.
 */
export function avatarOf(
  modes: string,
  user: AvatarUser,
  { publicHost }: Pick<ResourceWorld, 'publicHost'>,
  initials = initialsAvatar,
): string {
  for (const mode of modes.split(',')) {
    const picture = pictureBy(mode.trim(), user, publicHost, initials);
    if (picture) return picture;
  }
  return nobody;
}

export function avatarsComplaint(modes: string): string | null {
  const unknown = modesIn(modes).find(
    (mode) => !['none', 'initials', 'gravatar'].includes(mode) && !/^attributes\.\S+$/.test(mode) && !isUrl(mode),
  );
  return unknown === undefined ? null : `"${unknown}" is not a way to show users.`;
}

/** Whether the configured avatars make browsers disclose users to a third-party server. */
export const usesExternalService = (modes: string): boolean => modesIn(modes).some(isUrl);

const modesIn = (modes: string): string[] => modes.split(',').map((mode) => mode.trim());

function pictureBy(
  mode: string,
  user: AvatarUser,
  publicHost: string,
  initials: (name: string) => string,
): string | null {
  if (mode === 'none') return nobody;
  if (mode === 'initials') return initials(user.name || user.username);
  if (mode === 'gravatar') return user.email && `https://www.gravatar.com/avatar/${mailHash(user)}?s=158&r=g&d=mp`;
  if (mode.startsWith('attributes.')) return pictureIn(user.attributes, mode.split('.').slice(1), publicHost);
  if (!isUrl(mode)) return null;
  const address = fill(mode, user);
  return isSafeImage(address, publicHost) ? address : null;
}

const mailHash = ({ email }: AvatarUser): string => hash('sha256', email.trim().toLowerCase());

function pictureIn(attributes: unknown, path: readonly string[], publicHost: string): string | null {
  const value = path.reduce(memberOf, attributes);
  // Users can edit their own attributes: allow nothing that a browser would execute, or send to our own routes.
  const isShown = typeof value === 'string' && (value.startsWith('data:image/') || isSafeImage(value, publicHost));
  return isShown ? value : null;
}

const isUrl = (text: string): boolean => /^https?:\/\/[^\s/]/i.test(text);

function fill(template: string, user: AvatarUser): string {
  const { upn } = user.attributes;
  const values: Record<string, string> = {
    username: user.username,
    mail_hash: mailHash(user),
    upn: typeof upn === 'string' ? upn : '',
  };
  return template.replace(/%\((\w+)\)s/g, (mark, name: string) =>
    Object.hasOwn(values, name) ? encodeURIComponent(values[name] ?? '') : mark,
  );
}

/** An image of a person's initials as a data URI, so that no third party learns of them. */
export function initialsAvatar(name: string): string {
  const text = escapeXml(initialsOf(name.trim()).toUpperCase());
  let sum = 0;
  for (const letter of name) sum += letter.codePointAt(0) ?? 0;
  return svg(
    `<rect width="64" height="64" fill="${colours[sum % colours.length]}"/><text x="32" y="32" dy=".35em" fill="#fff" font-family="sans-serif" font-size="28" text-anchor="middle">${text}</text>`,
  );
}

/** The first letters of the first and last word. */
function initialsOf(name: string): string {
  const lastWord = /\s(\S+)$/.exec(name)?.[1] ?? '';
  return firstLetter(name) + firstLetter(lastWord);
}

const firstLetter = ([letter = '']: string): string => letter;

// Joined, and so in one piece: V8 takes twice as long to make JSON of text that is not.
const svg = (content: string): string =>
  [
    'data:image/svg+xml;base64,',
    Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64">${content}</svg>`).toString('base64'),
  ].join('');

const nobody = svg(
  '<rect width="64" height="64" fill="#868e96"/><g fill="#fff"><circle cx="32" cy="25" r="11"/><path d="M10 60a22 19 0 0 1 44 0z"/></g>',
);

const escapeXml = (text: string) => text.replace(/[<>&"']/g, (mark) => `&#${mark.charCodeAt(0)};`);
