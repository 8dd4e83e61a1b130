import { isWebUrl } from '../../lib/is-web-url.ts';
import type { ActorUser } from '../../resource/access/actor.ts';

/**
 * The placeholders of a launch URL. An allow-list: templates must not reach other members of a user (template
 * injection).
 */
const members: Readonly<Record<string, (user: ActorUser) => string>> = {
  pk: (user) => String(user.pk),
  uuid: (user) => user.uuid,
  username: (user) => user.username,
  name: (user) => user.name,
  email: (user) => user.email,
  type: (user) => user.type,
};

const placeholder = /%\((\w+)\)s/g;
/** Not `//host` or `/\host`, which browsers take for another server (open redirect). */
const ownPath = /^\/(?![/\\])/;

/**
 * The launch URL with `%(username)s` and the like filled in; null unless it is an http or https URL (XSS). A provider
 * may suggest a path on this server.
 */
export function launchUrl(template: string, user: ActorUser | null, publicUrl: string): string | null {
  const url = user ? fillTemplate(template, user) : template;
  if (ownPath.test(url)) return `${publicUrl}${url}`;
  return isWebUrl(url) ? url : null;
}

/** Unknown placeholders stay unchanged. */
function fillTemplate(template: string, user: ActorUser): string {
  const names = [...template.matchAll(placeholder)].map(([, name = '']) => name);
  if (!names.every((name) => Object.hasOwn(members, name))) return template;
  return template.replace(placeholder, (_, name: string) => encodeURIComponent(members[name]?.(user) ?? ''));
}

export function launchUrlComplaint(template: string): string | null {
  return isWebUrl(template.replace(placeholder, 'x')) ? null : 'Enter a valid URL.';
}
